"""Tags: added and removed by editors, unique regardless of case, renamed, merged and deleted."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError

from accounts.models import AuditEntry
from discussion.models import Tag, Tagging
from discussion.services import tag_add, tag_merge, tag_remove, tag_update
from discussion.subjects import Subject

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def subjects(run):
    return {
        f"/experiments/{run.experiment_id}/": Subject(run.experiment),
        f"/runs/{run.pk}/": Subject(run),
        f"/runs/{run.pk}/periods/2/": Subject(run, 2),
    }


def names(subject):
    return sorted(Tagging.objects.filter(**subject.fields).values_list("tag__name", flat=True))


def test_an_editor_puts_tags_on_experiments_runs_and_periods_and_takes_them_off(cast, subjects):
    browser = cast.browsers["edda"]
    for address, subject in subjects.items():
        assert browser.post(f"{address}tags/", {"name": "  odd   one "})["Location"] == address
        assert names(subject) == ["odd one"]
        assert ">odd one</a>" in browser.get(address).content.decode()
    assert Tag.objects.count() == 1
    number = Tag.objects.get().pk
    for address, subject in subjects.items():
        for _ in range(2):
            assert browser.post(f"{address}tags/remove/", {"tag": number})["Location"] == address
        assert names(subject) == []
    assert Tag.objects.count() == 1, "the word stays for other things"


def test_tags_of_a_run_are_not_those_of_its_periods(cast, subjects, run):
    tag_add(subject=Subject(run, 2), name="odd", user=cast.edda)
    assert names(Subject(run)) == names(Subject(run, 1)) == []


@pytest.mark.parametrize(("first", "second"), [("Paper", "pAPER"), ("Ünïcode", "üNÏCODE"), ("caf\u00e9", "CAFE\u0301")])
def test_capitals_make_no_other_tag(cast, run, first, second):
    tag_add(subject=Subject(run), name=first, user=cast.edda)
    tag_add(subject=Subject(run.experiment), name=second, user=cast.edda)
    assert names(Subject(run)) == names(Subject(run.experiment)) == [first]


def test_a_viewer_sees_tags_and_cannot_change_them(cast, subjects, run):
    tag = tag_add(subject=Subject(run), name="odd", user=cast.edda)
    browser = cast.browsers["vera"]
    for address in subjects:
        assert browser.post(f"{address}tags/", {"name": "mine"}).status_code == 403
        assert browser.post(f"{address}tags/remove/", {"tag": tag.pk}).status_code == 403
    for address in (f"/tags/{tag.pk}/", f"/tags/{tag.pk}/merge/", f"/tags/{tag.pk}/delete/"):
        assert browser.post(address, {"name": "x", "colour": 1}).status_code == 403
    text = browser.get(f"/tags/{tag.pk}/").content.decode()
    assert "odd" in text and 'method="post" action="/tags/' not in text
    assert names(Subject(run)) == ["odd"]


@pytest.mark.parametrize("name", ["", "   ", "x" * 41, "a\x07b"])
def test_a_name_that_is_none_is_told_beside_the_field(cast, run, name):
    response = cast.browsers["edda"].post(f"/runs/{run.pk}/tags/", {"name": name}, headers=HTMX)
    assert response.status_code == 422
    assert 'role="alert">' in response.content.decode()
    assert not Tag.objects.exists()


def test_one_thing_has_at_most_twenty_tags(cast, run):
    for number in range(20):
        tag_add(subject=Subject(run), name=f"t{number}", user=cast.edda)
    tag_add(subject=Subject(run), name="T3", user=cast.edda)
    with pytest.raises(ValidationError):
        tag_add(subject=Subject(run), name="one more", user=cast.edda)
    assert not Tag.objects.filter(name="one more").exists()


def test_names_are_suggested(cast, run, other):
    tag_add(subject=Subject(run), name="odd", user=cast.edda)
    other.organization.tags.create(name="secret", key="secret")
    text = cast.browsers["edda"].get("/tags/names/").content.decode()
    assert '<option value="odd">' in text and "secret" not in text


def test_the_list_counts_what_carries_each_tag(cast, run):
    assert "No tags yet." in cast.browsers["vera"].get("/tags/").content.decode()
    for subject in (Subject(run.experiment), Subject(run), Subject(run, 0), Subject(run, 1)):
        tag = tag_add(subject=subject, name="odd", user=cast.edda)
    (use,) = cast.browsers["vera"].get("/tags/").context["page"].object_list
    assert (use.experiments, use.runs, use.periods, use.things) == (1, 1, 2, 4)
    assert "No tags match." in cast.browsers["vera"].get("/tags/?text=even").content.decode()
    text = cast.browsers["vera"].get(f"/tags/{tag.pk}/").content.decode()
    for address in (f"/experiments/{run.experiment_id}/", f"/runs/{run.pk}/", f"/runs/{run.pk}/periods/1/"):
        assert f'href="{address}"' in text


def test_a_tag_is_renamed_and_coloured(cast, run):
    tag = tag_add(subject=Subject(run), name="odd", user=cast.edda)
    tag_add(subject=Subject(run), name="even", user=cast.edda)
    browser = cast.browsers["edda"]
    browser.post(f"/tags/{tag.pk}/", {"name": "Odd", "colour": "4"})
    tag.refresh_from_db()
    assert (tag.name, tag.colour) == ("Odd", 4)
    taken = browser.post(f"/tags/{tag.pk}/", {"name": "EVEN", "colour": "4"})
    assert taken.status_code == 422 and "merge them" in taken.content.decode()
    assert browser.post(f"/tags/{tag.pk}/", {"name": "x", "colour": "7"}).status_code == 422
    with pytest.raises(ValidationError):
        tag_update(tag=tag, name="x", colour=0, user=cast.edda)
    assert list(AuditEntry.objects.filter(action="tag.renamed").values_list("subject", flat=True)) == ["odd → Odd"]


def test_merging_moves_everything_once(cast, run):
    for subject in (Subject(run), Subject(run.experiment), Subject(run, 1)):
        old = tag_add(subject=subject, name="old", user=cast.edda)
    new = tag_add(subject=Subject(run), name="new", user=cast.edda)
    dialog = cast.browsers["edda"].get(f"/tags/{old.pk}/").content.decode()
    assert "3 items move to the other tag." in dialog
    response = cast.browsers["edda"].post(f"/tags/{old.pk}/merge/", {"into": new.pk})
    assert response["Location"] == f"/tags/{new.pk}/"
    assert names(Subject(run)) == names(Subject(run.experiment)) == names(Subject(run, 1)) == ["new"]
    assert not Tag.objects.filter(pk=old.pk).exists()
    assert AuditEntry.objects.get(action="tag.merged").subject == "old → new"


def test_a_tag_is_merged_into_another_one_of_the_same_organization_only(cast, run, other):
    tag = tag_add(subject=Subject(run), name="odd", user=cast.edda)
    foreign = other.organization.tags.create(name="foreign", key="foreign")
    for into in (tag.pk, foreign.pk, 10**9, "", "x"):
        response = cast.browsers["edda"].post(f"/tags/{tag.pk}/merge/", {"into": into})
        assert response.status_code == 422 and "Choose another tag." in response.content.decode()
    with pytest.raises(ValidationError):
        tag_merge(tag=tag, into=foreign, user=cast.edda)
    assert names(Subject(run)) == ["odd"]


def test_deleting_says_how_many_things_carry_it_and_leaves_them(cast, run):
    for subject in (Subject(run), Subject(run, 1), Subject(run, 2)):
        tag = tag_add(subject=subject, name="odd", user=cast.edda)
    text = cast.browsers["edda"].get(f"/tags/{tag.pk}/").content.decode()
    assert "It is taken off 0 experiments, 1 run and 2 periods, which stay." in text
    told = cast.browsers["edda"].post(f"/tags/{tag.pk}/delete/", follow=True).content.decode()
    assert "Deleted the tag odd. It was on 3 things, which stay." in told
    assert not Tagging.objects.exists() and type(run).objects.filter(pk=run.pk).exists()
    assert AuditEntry.objects.get(action="tag.deleted").subject == "odd"


def test_a_foreign_tag_is_taken_off_nothing(cast, run, other):
    foreign = other.organization.tags.create(name="odd", key="odd")
    response = cast.browsers["edda"].post(f"/runs/{run.pk}/tags/remove/", {"tag": foreign.pk})
    assert response.status_code == 404
    tag_remove(subject=Subject(run), tag=foreign)


def test_an_organization_goes_with_its_tags(cast, run, other):
    from accounts.models import Membership
    from accounts.services import organization_delete

    tag_add(subject=Subject(run.experiment), name="odd", user=cast.edda)
    Membership.objects.create(organization=other.organization, user=cast.alice, role="viewer")
    actor = cast.alice.memberships.get(organization=run.organization)
    organization_delete(actor=actor, typed_name="Market Lab")
    assert not Tag.objects.exists() and not Tagging.objects.exists()
