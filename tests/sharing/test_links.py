"""How links are created, by whom, and for how long."""

import re
from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEntry, Membership
from analysis.notes.models import NotesAnalysis
from sharing.models import ShareLink
from sharing.services import share_link_create, share_link_revoke
from tests.visitors import signed_in

ADDRESS = re.compile(r'id="share-address">([^<]+)<')


def make(client, target, **fields):
    kind = target._meta.model_name
    return client.post(f"/share/{kind}/{target.pk}/", {"lasts": "30", **fields})


def path_of(response):
    return "/" + ADDRESS.search(response.text)[1].split("/", 3)[3]


@pytest.mark.long
def test_the_address_is_displayed_once_and_stored_as_a_hash(member, experiment):
    response = make(member, experiment)
    path = path_of(response)
    token = path.split("/")[2]
    assert len(token) == 32  # 192 bits
    assert response["Cache-Control"].startswith("max-age=0, no-cache, no-store")
    row = ShareLink.objects.get()
    assert token not in str(row.__dict__) and row.last_four == token[-4:]
    for page in ("/share/", f"/share/experiment/{experiment.pk}/"):
        text = member.get(page).text
        assert token not in text and f"…{token[-4:]}" in text
    assert Client().get(path).status_code == 200


def test_the_dialog_offers_a_frame_for_other_pages(member, leaderboard):
    text = make(member, leaderboard('A "quoted" <table>')).text
    assert "&lt;iframe src=&quot;http://testserver/s/" in text
    assert "/embed/?theme=light&quot;" in text
    assert "title=&quot;A &amp;quot;quoted&amp;quot; &amp;lt;table&amp;gt;&quot;" in text


@pytest.mark.long
def test_the_dialog_is_loaded_into_the_page(member, experiment):
    for address in (f"/experiments/{experiment.pk}/", f"/runs/{experiment.runs.get().pk}/"):
        assert 'popovertarget="share-dialog"' in member.get(address).text
    part = member.get(f"/share/experiment/{experiment.pk}/", headers={"HX-Request": "true"}).text
    assert "<html" not in part and "Create link" in part


def test_a_link_ends_after_some_days_or_at_the_end_of_a_date(member, leaderboard):
    table = leaderboard()
    for days in (7, 30, 90):
        make(member, table, lasts=str(days))
        left = ShareLink.objects.latest("id").expires_at - timezone.now()
        assert abs(left - timedelta(days=days)) < timedelta(minutes=1)
    day = timezone.now().date() + timedelta(days=3)
    make(member, table, lasts="date", until=day.isoformat())
    end = ShareLink.objects.latest("id").expires_at
    assert (end - timedelta(seconds=1)).date() == day and end.date() == day + timedelta(days=1)


@pytest.mark.long
def test_invalid_links_are_explained_beside_the_field(member, leaderboard):
    table = leaderboard()
    for fields, sentence in (
        ({"lasts": ""}, "Choose how long"),
        ({"lasts": "3650"}, "Choose how long"),
        ({"lasts": "date"}, "at most a year ahead"),
        ({"lasts": "date", "until": "2020-01-01"}, "at most a year ahead"),
        ({"lasts": "date", "until": "2099-01-01"}, "at most a year ahead"),
        ({"lasts": "date", "until": "soon"}, "Type a day as"),
        ({"figure": "chart"}, "Choose a figure"),
        ({"label": "x" * 101}, "at most 100 characters"),
    ):
        response = make(member, table, **fields)
        assert response.status_code == 422 and sentence in response.text, fields
    assert not ShareLink.objects.exists()


@pytest.mark.long
def test_notes_are_shared_only_on_request_and_never_for_a_table(member, experiment, leaderboard):
    for target in (experiment, leaderboard()):
        make(member, target)
    assert set(ShareLink.objects.values_list("with_notes", flat=True)) == {False}
    make(member, experiment, with_notes="on")
    assert ShareLink.objects.filter(with_notes=True, experiment=experiment).count() == 1
    make(member, leaderboard("Another"), with_notes="on")
    assert not ShareLink.objects.filter(with_notes=True).exclude(experiment=experiment).exists()


@pytest.mark.long
def test_only_a_finished_analysis_can_be_shared(member, experiment, study):
    analysis = study(experiment, state="waiting", result=None)
    assert 'popovertarget="share-dialog"' in member.get(f"/notes/{analysis.pk}/").text
    for answer in (member.get(f"/share/notesanalysis/{analysis.pk}/"), make(member, analysis)):
        assert "It can be shared when it is done." in answer.text and "Create link" not in answer.text
    study(experiment, state="failed", result=None, problem="It broke.")
    assert "nothing to share" in make(member, NotesAnalysis.objects.latest("id")).text
    assert not ShareLink.objects.exists()
    done = study(experiment)
    assert 'popovertarget="share-dialog"' in member.get(f"/notes/{done.pk}/").text
    form = member.get(f"/share/notesanalysis/{done.pk}/").text
    assert "the paragraphs of notes that the analysis quotes" in form and "Paragraphs by likeness" in form
    assert Client().get(path_of(make(member, done))).status_code == 200
    assert not ShareLink.objects.get().with_notes
    text = member.get("/share/").text
    assert f'href="/notes/{done.pk}/"' in text and "notes analysis" in text


@pytest.mark.long
def test_a_foreign_analysis_gives_404(stranger, experiment, study):
    analysis = study(experiment)
    for number in (analysis.pk, analysis.pk + 1):
        assert stranger.get(f"/share/notesanalysis/{number}/").status_code == 404
        assert stranger.post(f"/share/notesanalysis/{number}/", {"lasts": "30"}).status_code == 404
    assert not ShareLink.objects.exists()


@pytest.mark.long
def test_a_link_has_exactly_one_target(member, experiment, study):
    make(member, study(experiment))
    for change in ({"experiment": experiment}, {"notesanalysis": None}):
        with pytest.raises(IntegrityError), transaction.atomic():
            ShareLink.objects.update(**change)


def test_only_owners_can_create_links_without_an_end(member, join, leaderboard):
    target, editor = leaderboard(), signed_in(join("edda", "editor").user)
    text = editor.get(f"/share/leaderboard/{target.pk}/").text
    assert "public" not in text.split("<form")[-1]
    assert make(editor, target, lasts="public").status_code == 422
    make(member, target, lasts="public")
    row = ShareLink.objects.get()
    assert row.is_public and row.expires_at is None


def test_creating_and_revoking_are_in_the_audit_log_without_the_token(member, leaderboard):
    path = path_of(make(member, leaderboard("Shared table"), label="for reviewers"))
    member.post(f"/share/links/{ShareLink.objects.get().pk}/revoke/")
    made, revoked = AuditEntry.objects.filter(action__startswith="link.").order_by("id")
    token = path.split("/")[2]
    assert (made.action, revoked.action) == ("link.made", "link.revoked")
    assert "Shared table" in made.subject and f"…{token[-4:]}" in made.subject and token not in made.subject


def test_a_role_lost_in_the_meantime_takes_effect(join, leaderboard):
    editor, target = join("edda", "editor"), leaderboard()
    made, _ = share_link_create(actor=editor, target=target, lasts="7")
    Membership.objects.filter(pk=editor.pk).update(role="viewer")
    with pytest.raises(PermissionDenied):
        share_link_create(actor=editor, target=target, lasts="7")
    with pytest.raises(PermissionDenied):
        share_link_revoke(actor=editor, link=made)
