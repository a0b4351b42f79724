"""Tags: added and removed by editors, unique regardless of case, renamed, merged and deleted."""

import pytest
from django.core.exceptions import ValidationError

from accounts.models import AuditEntry, Membership
from accounts.services import organization_delete
from workspace.discussion.models import Tag, Tagging
from workspace.discussion.services.tags import tag_merge, tag_update
from workspace.discussion.subjects import Subject


def names(*about):
    return sorted(Tagging.objects.filter(**Subject(*about).fields).values_list("tag__name", flat=True))


@pytest.mark.long
def test_an_editor_adds_and_removes_tags_of_experiments_runs_and_periods(cast, run, text):
    browser = cast.browsers["edda"]
    subjects = {
        f"/experiments/{run.experiment_id}/": (run.experiment,),
        f"/runs/{run.pk}/": (run,),
        f"/runs/{run.pk}/periods/2/": (run, 2),
    }
    for address, subject in subjects.items():
        assert browser.post(f"{address}tags/", {"name": "  odd   one "})["Location"] == address
        assert names(*subject) == ["odd one"]
        assert ">odd one</a>" in text("edda", address)
    tag = Tag.objects.get()
    for address, subject in subjects.items():
        for _ in range(2):
            assert browser.post(f"{address}tags/remove/", {"tag": tag.pk})["Location"] == address
        assert names(*subject) == []
    assert Tag.objects.count() == 1, "the tag stays for other things"


def test_tag_names_ignore_case_and_periods_have_separate_tags(run, tag):
    spellings = {"Paper": "pAPER", "Ünïcode": "üNÏCODE", "caf\u00e9": "CAFE\u0301"}
    for first, second in spellings.items():
        tag(first, period=2)
        assert names(run) == names(run, 1) == []
        tag(second, on=run.experiment)
    assert names(run, 2) == names(run.experiment) == sorted(spellings)


def test_an_invalid_name_gets_an_error_beside_the_field(cast, run):
    for name in ("", "   ", "x" * 41, "a\x07b"):
        response = cast.browsers["edda"].post(f"/runs/{run.pk}/tags/", {"name": name}, headers={"HX-Request": "true"})
        assert response.status_code == 422 and 'role="alert">' in response.text, name
    assert not Tag.objects.exists()


def test_an_object_has_at_most_twenty_tags(tag):
    for number in range(20):
        tag(f"t{number}")
    tag("T3")
    with pytest.raises(ValidationError):
        tag("one more")
    assert not Tag.objects.filter(name="one more").exists()


def test_tag_names_of_the_organization_are_suggested(text, tag, other):
    tag()
    other.organization.tags.create(name="secret", key="secret")
    shown = text("edda", "/tags/names/")
    assert '<option value="odd">' in shown and "secret" not in shown


@pytest.mark.long
def test_the_list_counts_the_objects_of_each_tag(cast, run, tag, text):
    assert "No tags yet." in text("vera", "/tags/")
    odd = tag()
    tag(on=run.experiment), tag(period=0), tag(period=1)
    (use,) = cast.browsers["vera"].get("/tags/").context["page"].object_list
    assert (use.experiments, use.runs, use.periods, use.things) == (1, 1, 2, 4)
    assert "No tags match." in text("vera", "/tags/?text=even")
    shown = text("vera", f"/tags/{odd.pk}/")
    # tests.workspace.discussion.matrix says that the addresses of the forms refuse viewers.
    assert "odd" in shown and 'method="post" action="/tags/' not in shown
    for address in (f"/experiments/{run.experiment_id}/", f"/runs/{run.pk}/", f"/runs/{run.pk}/periods/1/"):
        assert f'href="{address}"' in shown


@pytest.mark.long
def test_a_tag_is_renamed_and_coloured(cast, tag):
    odd, browser = tag(), cast.browsers["edda"]
    tag("even")
    browser.post(f"/tags/{odd.pk}/", {"name": "Odd", "colour": "4"})
    odd.refresh_from_db()
    assert (odd.name, odd.colour) == ("Odd", 4)
    taken = browser.post(f"/tags/{odd.pk}/", {"name": "EVEN", "colour": "4"})
    assert taken.status_code == 422 and "merge them" in taken.text
    assert browser.post(f"/tags/{odd.pk}/", {"name": "x", "colour": "7"}).status_code == 422
    with pytest.raises(ValidationError):
        tag_update(tag=odd, name="x", colour=0, user=cast.edda)
    assert AuditEntry.objects.get(action="tag.renamed").subject == "odd → Odd"


def test_merging_moves_every_object_once(cast, run, tag, text):
    old, new = tag("old"), tag("new")
    tag("old", on=run.experiment), tag("old", period=1)
    assert "3 items move to the other tag." in text("edda", f"/tags/{old.pk}/")
    response = cast.browsers["edda"].post(f"/tags/{old.pk}/merge/", {"into": new.pk})
    assert response["Location"] == f"/tags/{new.pk}/"
    assert names(run) == names(run.experiment) == names(run, 1) == ["new"]
    assert not Tag.objects.filter(pk=old.pk).exists()
    assert AuditEntry.objects.get(action="tag.merged").subject == "old → new"


@pytest.mark.long
def test_a_tag_can_be_merged_only_into_another_tag_of_the_organization(cast, run, tag, other):
    odd, foreign = tag(), other.organization.tags.create(name="foreign", key="foreign")
    for into in (odd.pk, foreign.pk, 10**9, "", "x"):
        response = cast.browsers["edda"].post(f"/tags/{odd.pk}/merge/", {"into": into})
        assert response.status_code == 422 and "Choose another tag." in response.text
    with pytest.raises(ValidationError):
        tag_merge(tag=odd, into=foreign, user=cast.edda)
    assert names(run) == ["odd"]


@pytest.mark.long
def test_deleting_a_tag_states_its_objects_and_keeps_them(cast, run, tag, text):
    odd = tag()
    tag(period=1), tag(period=2)
    assert "It is taken off 0 experiments, 1 run and 2 periods, which stay." in text("edda", f"/tags/{odd.pk}/")
    answer = cast.browsers["edda"].post(f"/tags/{odd.pk}/delete/", follow=True).text
    assert "Deleted the tag odd. It was on 3 things, which stay." in answer
    assert not Tagging.objects.exists() and type(run).objects.filter(pk=run.pk).exists()
    assert AuditEntry.objects.get(action="tag.deleted").subject == "odd"


@pytest.mark.long
def test_an_organization_is_deleted_with_its_tags(cast, run, tag, other):
    tag(on=run.experiment)
    Membership.objects.create(organization=other.organization, user=cast.alice, role="viewer")
    organization_delete(actor=cast.alice.memberships.get(organization=run.organization), typed_name="Market Lab")
    assert not Tag.objects.exists() and not Tagging.objects.exists()
