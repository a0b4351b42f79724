"""How links end, what ended links answer, and what members read about them."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.secrets import token_hash
from accounts.services.organizations import member_remove, organization_create, organization_delete
from sharing.models import ShareLink
from sharing.services import share_link_create
from sharing.views import visits


def answer_to(client, path):
    response = client.get(path)
    headers = {name: value for name, value in response.items() if name != "Content-Length"}
    return response.status_code, response.content, headers


@pytest.mark.long
def test_unknown_revoked_expired_and_uncovered_links_get_identical_answers(member, owner, experiment, link):
    live = [link(experiment, with_notes=notes) for notes in (True, True, False)]
    revoked, expired, _ = ShareLink.objects.order_by("id")
    member.post(f"/share/links/{revoked.pk}/revoke/")
    ShareLink.objects.filter(pk=expired.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    uncovered = ("runs/1/notes/", "runs/1/periods/0/", "cell/", "strip.json")
    for inner in ("", "embed/", "runs/1/", "runs/1/chart.json", *uncovered):
        for client in (Client(), member):
            dead = answer_to(client, "/s/made-up/" + inner)
            assert dead[0] == 404
            for path in (live[0], live[1], "/s/%00%ff/", *live[2:] * (inner in uncovered)):
                assert answer_to(client, path + inner) == dead
    assert answer_to(Client(), live[2] + "runs/99/") == answer_to(Client(), "/s/made-up/")
    assert Client().get(live[2]).status_code == 200


def test_a_public_page_may_be_indexed_and_revoking_takes_effect_at_once(member, leaderboard, link):
    path = link(leaderboard(), lasts="public")
    response = Client().get(path)
    assert response.status_code == 200 and response["Cache-Control"] == "public, no-cache"
    assert "X-Robots-Tag" not in response and response["Referrer-Policy"] == "no-referrer"
    revoke = f"/share/links/{ShareLink.objects.get().pk}/revoke/"
    member.post(revoke)
    assert Client().get(path).status_code == 404
    assert "had already ended" in member.post(revoke, follow=True).text


@pytest.mark.long
def test_a_link_ends_with_its_target(member, leaderboard, experiment, link):
    table, game = leaderboard(), link(experiment)
    path = link(table)
    text = member.get(f"/leaderboards/{table.pk}/").text
    assert "1 share link leads to it" in text and "Delete it and 1 link" in text
    assert "1 share link shows this page" in member.get(f"/leaderboards/{table.pk}/change/").text
    member.post(f"/leaderboards/{table.pk}/delete/")
    member.post(f"/experiments/{experiment.pk}/delete/")
    assert Client().get(path).status_code == Client().get(game).status_code == 404
    for kind, row in (("leaderboard", table), ("experiment", experiment)):
        member.post(f"/deleted/{kind}/{row.pk}/remove/")
    assert not ShareLink.objects.exists()


@pytest.mark.long
def test_a_deleted_analysis_and_its_links_disappear_at_once(member, experiment, study, link):
    analysis = study(experiment)
    path, part = link(analysis, with_notes=True), link(analysis, figure="map")
    assert Client().get(path).status_code == Client().get(f"{part}map.json").status_code == 200
    member.post(f"/notes/{analysis.pk}/delete/")
    for inner in ("", "embed/", "map.json"):
        for dead in (path, part):
            assert answer_to(Client(), dead + inner) == answer_to(Client(), f"/s/made-up/{inner}")
    assert not ShareLink.objects.exists() and "Nothing is shared" in member.get("/share/").text


def test_links_survive_the_removal_of_their_creator(owner, join, leaderboard):
    editor = join("edda", "editor")
    token = share_link_create(actor=editor, target=leaderboard(), lasts="7")[1]
    member_remove(actor=owner, membership=editor)
    assert Client().get(f"/s/{token}/").status_code == 200


@pytest.mark.long
def test_a_link_to_a_figure_excluded_by_new_filters_gives_404(member, leaderboard, link):
    table = leaderboard(environments=("pricing", "procurement"))
    path = link(table, figure="strip.pricing")
    assert Client().get(path).status_code == Client().get(path + "strip.pricing.json").status_code == 200
    member.post(f"/leaderboards/{table.pk}/change/", {"name": table.name, "environments": ["procurement"]})
    for inner in ("", "embed/", "strip.pricing.json"):
        assert Client().get(path + inner).content == Client().get("/s/made-up/").content


@pytest.mark.long
def test_deleting_an_organization_deletes_its_links(organization, owner, leaderboard, experiment, link):
    paths = [link(leaderboard()), link(experiment), link(experiment.runs.get(), figure="chart")]
    organization_create(name="Elsewhere", owner=owner.user)
    organization_delete(actor=owner, typed_name=organization.name)
    assert [Client().get(path).status_code for path in paths] == [404, 404, 404]


@pytest.mark.long
def test_views_are_counted_and_their_time_is_written_once_a_minute(leaderboard, link):
    path = link(leaderboard())
    client = Client()
    client.get(path)
    first = ShareLink.objects.get()
    for inner in ("", "", "embed/", "strip.json"):
        client.get(path + inner)
    client.head(path)
    row = ShareLink.objects.get()
    assert (row.views, row.last_seen_at) == (4, first.last_seen_at)
    ShareLink.objects.update(last_seen_at=timezone.now() - timedelta(minutes=2))
    client.get(path)
    assert ShareLink.objects.get().last_seen_at > first.last_seen_at


@pytest.mark.long
def test_the_list_shows_what_the_organization_shares_and_filters_by_state(
    member, stranger, leaderboard, experiment, link
):
    assert "Nothing is shared" in member.get("/share/").text
    link(leaderboard("Live one"))
    link(experiment)
    member.post(f"/share/links/{ShareLink.objects.latest('id').pk}/revoke/")
    live, ended = (member.get(f"/share/?state={state}").text for state in ("live", "ended"))
    assert "Live one" in live and experiment.name not in live
    assert experiment.name in ended and "Live one" not in ended
    assert "Live one" not in stranger.get("/share/").text
    assert member.get("/share/planet/1/").status_code == 404


def test_too_many_requests_of_a_link_get_429_with_the_time_to_wait(leaderboard, link, noon, monkeypatch):
    path = link(leaderboard())
    monkeypatch.setattr(visits, "REQUESTS_A_MINUTE", 2)
    assert [Client().get(path).status_code for _ in range(2)] == [200, 200]
    refused = Client().get(path)
    assert refused.status_code == 429 and refused["Retry-After"] == "45"
    assert "Too many visitors" in refused.text
    assert refused["Cache-Control"] == "private, no-store" and not refused.cookies


def test_concurrent_answers_to_visitors_are_limited(leaderboard, link, monkeypatch):
    path = link(leaderboard())
    monkeypatch.setattr(visits, "WAIT_SECONDS", 0.05)
    name = token_hash(path.split("/")[2])
    made = [visits._visits.take(name) for _ in range(visits.AT_ONCE)]
    assert Client().get(path).status_code == 429
    made.pop().release()
    assert Client().get(path).status_code == 200
