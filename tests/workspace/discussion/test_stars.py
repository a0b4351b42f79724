"""Stars are personal: set on run and period pages, listed on one page."""

import re

import pytest

from accounts.models import Membership
from workspace.discussion.models import Star
from workspace.discussion.services.comments import star_set
from workspace.discussion.subjects import Subject


@pytest.fixture
def star(run, cast):
    """A star of vera."""
    return lambda period=None, run=run: star_set(subject=Subject(run, period), user=cast.vera, starred=True)


@pytest.mark.long
def test_every_member_has_separate_stars_on_runs_and_periods(cast, run):
    address = f"/runs/{run.pk}/"
    for who, browser in cast.browsers.items():
        for starred, found in (("1", [(who, 1), (who, None)]), ("0", [])):
            for page in (address, f"{address}periods/1/") * 2:
                assert browser.post(f"{page}star/", {"starred": starred})["Location"] == page
            assert sorted(Star.objects.values_list("user__username", "period_index"), key=str) == found
    shown = browser.post(f"{address}star/", {"starred": "1"}, headers={"HX-Request": "true"}).text
    assert 'aria-pressed="true"' in shown and 'name="starred" value="0"' in shown and "<html" not in shown


@pytest.mark.long
def test_run_page_inspector_and_list_show_stars_of_the_reader(run, star, text):
    star(), star(2)

    def pressed(who, address):
        return dict(re.findall(r'id="star-([a-z0-9-]+)"[^>]*aria-pressed="(\w+)"', text(who, address)))

    run_id, period_id = f"run-{run.pk}", f"period-{run.pk}-2"
    assert pressed("vera", f"/runs/{run.pk}/periods/2/") == {run_id: "true", period_id: "true"}
    assert pressed("vera", f"/runs/{run.pk}/periods/1/") == {run_id: "true", f"period-{run.pk}-1": "false"}
    assert pressed("edda", f"/runs/{run.pk}/periods/2/") == {run_id: "false", period_id: "false"}
    assert pressed("vera", f"/experiments/{run.experiment_id}/") == {run_id: "true"}
    assert pressed("edda", f"/experiments/{run.experiment_id}/") == {run_id: "false"}


@pytest.mark.long
def test_the_page_lists_stars_newest_first_in_pages(cast, played, star, text):
    assert "Nothing starred yet." in text("vera", "/starred/")
    run = played("random", periods=30).runs.get()
    for period in (None, *range(30)):
        star(period, run)
    pages = [cast.browsers["vera"].get(f"/starred/?page={number}").context["page"] for number in (1, 2)]
    shown = [row.subject.period for page in pages for row in page.object_list]
    assert shown == [*range(29, -1, -1), None] and len(pages[0].object_list) == 25
    assert "Nothing starred yet." in text("edda", "/starred/")


def test_the_page_lists_no_stars_of_another_organization(cast, run, star, text, other):
    star()
    Membership.objects.create(organization=other.organization, user=cast.vera, role="viewer")
    assert f"/runs/{run.pk}/" in text("vera", "/starred/")
    cast.browsers["vera"].post("/organization/switch/", {"organization": other.organization_id})
    assert f"/runs/{run.pk}/" not in text("vera", "/starred/")
