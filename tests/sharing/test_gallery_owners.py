"""Owners choose what a gallery shows, and confirm exactly that before it is opened."""

import pytest
from django.core.exceptions import PermissionDenied
from django.test import Client

from accounts.models import AuditEntry, Organization
from sharing.gallery.models import Gallery
from sharing.gallery.services import MOST_ENTRIES, entry_add, gallery_close, gallery_open
from tests.sharing.conftest import SECRETS
from tests.visitors import signed_in

MANAGE = "/organization/gallery/"
TEXTS = {"title": "Shown results", "slug": "shown"}


def add(member, **fields):
    return member.post(f"{MANAGE}entries/", fields)


def titles(member):
    return [entry.slug for entry in Gallery.objects.get().entries.all()]


def version_on(page):
    return page.text.partition('name="version" value="')[2].partition('"')[0]


def test_a_gallery_is_closed_until_its_owner_has_confirmed_what_becomes_visible(member, leaderboard, experiment):
    member.post(MANAGE, TEXTS | {"authors": "Ada Author"})
    add(member, thing=f"leaderboard:{leaderboard('Shared table').pk}", caption="The main table")
    add(member, thing=f"experiment:{experiment.pk}", with_notes="on")
    assert Client().get("/results/shown/").status_code == 404
    confirmation = member.get(f"{MANAGE}open/")
    for words in (
        *("Shared table", "The main table", experiment.name, "visitors also read what the agent thought", "Ada Author"),
        "the scores behind each cell",
    ):
        assert words in confirmation.text, words
    assert Client().get("/results/shown/").status_code == 404, "the confirmation alone opens nothing"
    opened = member.post(f"{MANAGE}open/", {"version": version_on(confirmation)}, follow=True)
    assert "The gallery is open to the public." in opened.text
    assert Client().get("/results/shown/").status_code == 200


def test_a_gallery_that_was_changed_after_the_list_was_read_is_not_opened(member, leaderboard):
    table = leaderboard("Shared table")
    add(member, thing=f"leaderboard:{table.pk}")
    version = version_on(member.get(f"{MANAGE}open/"))
    add(member, thing=f"leaderboard:{leaderboard('Another table').pk}")
    refused = member.post(f"{MANAGE}open/", {"version": version})
    assert refused.status_code == 422 and "was changed meanwhile" in refused.text and "Another table" in refused.text
    assert not Gallery.objects.get().is_open
    member.post(f"{MANAGE}open/", {"version": version_on(refused)})
    assert Gallery.objects.get().is_open


def test_an_empty_gallery_cannot_be_opened_and_says_what_to_do(member):
    page = member.get(MANAGE)
    assert "No entry yet." in page.text and "Open to the public" not in page.text
    assert "Add a board, an experiment or a run first" in member.post(f"{MANAGE}open/").text


def test_the_audit_log_names_each_change_of_a_gallery(member, leaderboard, experiment):
    add(member, thing=f"leaderboard:{leaderboard('Shared table').pk}")
    add(member, thing=f"experiment:{experiment.pk}", with_notes="on")
    entry = Gallery.objects.get().entries.get(leaderboard__isnull=False)
    member.post(f"{MANAGE}entries/{entry.pk}/", {"caption": "New words"})
    member.post(f"{MANAGE}open/", {"version": version_on(member.get(f"{MANAGE}open/"))})
    member.post(f"{MANAGE}close/")
    member.post(f"{MANAGE}close/")
    log = AuditEntry.objects.filter(action__startswith="gallery").order_by("id").values_list("action", "subject")
    assert list(log) == [
        ("gallery.changed", "Added Leaderboard Shared table"),
        ("gallery.changed", f"Added Experiment {experiment.name} with notes"),
        ("gallery.changed", "Changed Leaderboard Shared table"),
        ("gallery.opened", f"Leaderboard Shared table, Experiment {experiment.name} with notes"),
        ("gallery.closed", "Market Lab"),
    ]


def test_buttons_move_and_remove_entries(member, leaderboard):
    for name in ("One", "Two", "Three"):
        add(member, thing=f"leaderboard:{leaderboard(name).pk}")
    ids = {entry.slug: entry.pk for entry in Gallery.objects.get().entries.all()}
    act = lambda slug, action: member.post(f"{MANAGE}entries/{ids[slug]}/", {"action": action})  # noqa: E731
    act("three", "up")
    assert titles(member) == ["one", "three", "two"]
    act("one", "down")
    act("three", "up")
    act("two", "down")
    assert titles(member) == ["three", "one", "two"], "the first and the last stay"
    act("one", "remove")
    assert titles(member) == ["three", "two"]


def test_a_run_is_added_by_its_number_or_address(member, played):
    first, second = played(seeds=(0, 1)).runs.order_by("id")
    add(member, run=str(first.pk))
    add(member, run=f"https://lab.example.org/runs/{second.pk}/?period=3", with_notes="on")
    assert [(entry.run_id, entry.with_notes) for entry in Gallery.objects.get().entries.all()] == [
        (first.pk, False),
        (second.pk, True),
    ]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, "Choose a board or an experiment, or type the number of a run."),
        ({"thing": "leaderboard:999"}, "Choose a board or an experiment of the list."),
        ({"run": "999999"}, "This organization has no run with this number."),
        ({"run": "/leaderboards/3/"}, "Type the number of a run, such as 12, or its address."),
        ({"run": "1", "caption": "x" * 301}, "A caption has at most 300 characters."),
    ],
)
def test_a_wrong_entry_gets_a_sentence_beside_its_field(member, fields, sentence):
    refused = add(member, **fields)
    assert refused.status_code == 422 and sentence in refused.text and not Gallery.objects.exists()


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"title": ""}, "Type a title."),
        ({"slug": "Two Words"}, "Use small letters, digits and single hyphens"),
        ({"slug": "taken"}, "Another gallery of this site has this address."),
        ({"doi": "doi.org/182"}, "A DOI begins with 10 and has a slash"),
    ],
)
def test_wrong_texts_get_a_sentence_beside_their_field(member, fields, sentence):
    other = Organization.objects.create(name="Second Lab", slug="second-lab")
    Gallery.objects.create(organization=other, title="Other results", slug="taken")
    refused = member.post(MANAGE, TEXTS | fields)
    assert refused.status_code == 422 and sentence in refused.text
    assert not Gallery.objects.exclude(organization=other).exists()


def test_things_of_another_organization_cannot_be_added(stranger, experiment, leaderboard):
    table = leaderboard("Shared table")
    for fields in (
        {"thing": f"leaderboard:{table.pk}"},
        {"thing": f"experiment:{experiment.pk}"},
        {"run": str(experiment.runs.first().pk)},
    ):
        assert add(stranger, **fields).status_code == 422
    assert not Gallery.objects.exists() and "Shared table" not in stranger.get(MANAGE).text


def test_a_thing_is_in_a_gallery_once_and_a_gallery_has_a_limit(member, owner, leaderboard):
    table = leaderboard("Shared table")
    add(member, thing=f"leaderboard:{table.pk}")
    assert "This is in the gallery already." in add(member, thing=f"leaderboard:{table.pk}").text
    for number in range(1, MOST_ENTRIES):
        entry_add(actor=owner, target=leaderboard(f"Table {number}"))
    refused = add(member, thing=f"leaderboard:{leaderboard('One more').pk}")
    assert refused.status_code == 422 and "The gallery is full." in refused.text


def test_the_preview_shows_a_closed_gallery_with_its_entries_to_owners_only(member, join, leaderboard):
    add(member, thing=f"leaderboard:{leaderboard('Shared table').pk}")
    editor = signed_in(join("edda", "editor").user)
    for inner in ("", "picture.png", "shared-table/", "shared-table/picture.png"):
        shown = member.get(f"{MANAGE}preview/{inner}")
        assert shown.status_code == 200 and shown["Cache-Control"] == "private, no-store"
        assert editor.get(f"{MANAGE}preview/{inner}").status_code == 403
    assert f'href="{MANAGE}preview/shared-table/"' in member.get(f"{MANAGE}preview/").text


def test_services_refuse_members_who_are_no_longer_owners(owner, join, leaderboard):
    second = join("olga", "owner")
    second.delete()
    for change in (
        lambda: entry_add(actor=second, target=leaderboard()),
        lambda: gallery_open(actor=second, version=""),
        lambda: gallery_close(actor=second),
    ):
        with pytest.raises(PermissionDenied):
            change()


def test_a_new_gallery_names_no_member(member, leaderboard, organization):
    add(member, thing=f"leaderboard:{leaderboard().pk}")
    preview = member.get(f"{MANAGE}preview/").text
    assert f"Results of {organization.name}" in preview and SECRETS["person"] not in preview


def test_the_page_of_owners_takes_few_queries(member, leaderboard, experiment, django_assert_max_num_queries):
    for target in (f"leaderboard:{leaderboard('Shared table').pk}", f"experiment:{experiment.pk}"):
        add(member, thing=target)
    with django_assert_max_num_queries(11):
        member.get(MANAGE)
