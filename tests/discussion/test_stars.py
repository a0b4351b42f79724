"""Stars are personal: set on run and period pages, listed on one page."""

from __future__ import annotations

import re

import pytest

from accounts.models import Membership
from discussion.models import Star
from discussion.services import star_set
from discussion.subjects import Subject

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.mark.parametrize("who", ["alice", "edda", "vera"])
def test_every_member_stars_runs_and_periods_for_themselves(cast, run, who):
    browser = cast.browsers[who]
    for address in (f"/runs/{run.pk}/", f"/runs/{run.pk}/periods/1/"):
        for _ in range(2):
            assert browser.post(f"{address}star/", {"starred": "1"})["Location"] == address
    assert sorted(Star.objects.values_list("user__username", "period_index"), key=str) == [(who, 1), (who, None)]
    for address in (f"/runs/{run.pk}/star/", f"/runs/{run.pk}/periods/1/star/"):
        for _ in range(2):
            browser.post(address, {"starred": "0"})
    assert not Star.objects.exists()


def test_a_toggle_shows_how_it_stands_on_run_page_inspector_and_list(cast, run):
    star_set(subject=Subject(run), user=cast.vera, starred=True)
    star_set(subject=Subject(run, 2), user=cast.vera, starred=True)

    def pressed(who, address):
        text = cast.browsers[who].get(address).content.decode()
        return dict(re.findall(r'id="star-([a-z0-9-]+)"[^>]*aria-pressed="(\w+)"', text))

    run_id, period_id = f"run-{run.pk}", f"period-{run.pk}-2"
    assert pressed("vera", f"/runs/{run.pk}/periods/2/") == {run_id: "true", period_id: "true"}
    assert pressed("vera", f"/runs/{run.pk}/periods/1/") == {run_id: "true", f"period-{run.pk}-1": "false"}
    assert pressed("edda", f"/runs/{run.pk}/periods/2/") == {run_id: "false", period_id: "false"}
    assert pressed("vera", f"/experiments/{run.experiment_id}/") == {run_id: "true"}
    assert pressed("edda", f"/experiments/{run.experiment_id}/") == {run_id: "false"}


def test_the_answer_to_htmx_is_the_toggle_the_other_way_round(cast, run):
    text = cast.browsers["vera"].post(f"/runs/{run.pk}/star/", {"starred": "1"}, headers=HTMX).content.decode()
    assert 'aria-pressed="true"' in text and 'name="starred" value="0"' in text and "<html" not in text


def test_the_page_lists_the_newest_first_page_by_page(cast, played):
    assert "Nothing starred yet." in cast.browsers["vera"].get("/starred/").content.decode()
    run = played("random", periods=30).runs.get()
    for period in (None, *range(30)):
        star_set(subject=Subject(run, period), user=cast.vera, starred=True)
    pages = [cast.browsers["vera"].get(f"/starred/?page={number}").context["page"] for number in (1, 2)]
    shown = [row.subject.period for page in pages for row in page.object_list]
    assert shown == [*range(29, -1, -1), None] and len(pages[0].object_list) == 25
    assert "Nothing starred yet." in cast.browsers["edda"].get("/starred/").content.decode()


def test_stars_of_another_organization_are_not_on_the_page(cast, run, other):
    star_set(subject=Subject(run), user=cast.vera, starred=True)
    Membership.objects.create(organization=other.organization, user=cast.vera, role="viewer")
    browser = cast.browsers["vera"]
    assert f"/runs/{run.pk}/" in browser.get("/starred/").content.decode()
    browser.post("/organization/switch/", {"organization": other.organization_id})
    assert f"/runs/{run.pk}/" not in browser.get("/starred/").content.decode()
