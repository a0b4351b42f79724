"""Lists filtered by tag: experiments, the leaderboard and the litmus page."""

from __future__ import annotations

import pytest

from discussion.services import tag_add
from discussion.subjects import Subject
from runs.models import Run

pytestmark = pytest.mark.django_db


@pytest.fixture
def two(played):
    """Two experiments, each with a run of the pricing game and one of a litmus test."""
    environments = ("pricing", "efficiency_vs_equality")
    options = {"environments": environments, "difficulties": ("BASIC", "STANDARD"), "periods": 2}
    return [played("random", "equality-greedy-equality", seeds=(seed,), **options) for seed in (0, 1)]


def named(experiment, name):
    experiment.name = name
    experiment.save()
    return experiment


def test_the_list_of_experiments_by_tag(cast, two):
    first, second = named(two[0], "First one"), named(two[1], "Second one")
    tag = tag_add(subject=Subject(first), name="odd", user=cast.edda)
    browser = cast.browsers["vera"]
    everything = browser.get("/experiments/").content.decode()
    assert f'href="/experiments/?tag={tag.pk}"' in everything and "Second one" in everything
    only = browser.get(f"/experiments/?tag={tag.pk}").content.decode()
    assert "First one" in only and "Second one" not in only
    assert f'<option value="{tag.pk}" selected>odd' in only
    tag_add(subject=Subject(second), name="ODD", user=cast.edda)
    assert "Second one" in browser.get(f"/experiments/?tag={tag.pk}").content.decode()


@pytest.mark.parametrize("wanted", ["foreign", "999999"])
def test_a_tag_that_is_foreign_or_gone_is_on_nothing(cast, two, other, wanted):
    foreign = other.organization.tags.create(name="secret", key="secret")
    foreign.taggings.create(experiment=two[0])
    number = foreign.pk if wanted == "foreign" else wanted
    browser = cast.browsers["vera"]
    text = browser.get(f"/experiments/?tag={number}").content.decode()
    assert "No experiments match these filters." in text and "A tag that is gone" in text and "secret" not in text
    for address in ("/leaderboard/?periods=2&", "/litmus/?scope=all&"):
        text = browser.get(f"{address}tag={number}&rows=baseline").content.decode()
        assert "a tag that is gone" in text and "secret" not in text
        table = text.partition("<table")[2].partition("</table>")[0]
        assert "Random" not in table and "Greedy" not in table


@pytest.mark.parametrize("nonsense", ["x", "-1", "%00", "0", "9" * 30])
def test_nonsense_in_the_address_filters_nothing_out(cast, two, nonsense):
    for address in ("/experiments/?", "/leaderboard/?periods=2&", "/litmus/?scope=all&"):
        response = cast.browsers["vera"].get(f"{address}tag={nonsense}&rows=baseline")
        assert response.status_code == 200
        text = response.content.decode()
        assert any(shown in text for shown in ("seed 0", "Random", "Greedy")), address


def test_the_leaderboard_counts_tagged_runs_and_all_of_tagged_experiments(cast, two):
    tag = tag_add(subject=Subject(two[0]), name="odd", user=cast.edda)
    browser, address = cast.browsers["vera"], "/leaderboard/figure.json?chart=pricing&periods=2"

    def runs_shown(query=""):
        traces = browser.get(address + query).json()["data"]
        return {url for trace in traces for url in trace.get("customdata", ())}

    first, second = (f"/runs/{Run.objects.get(experiment=e, instance__environment='pricing').pk}/" for e in two)
    assert runs_shown() == {first, second}
    assert runs_shown(f"&tag={tag.pk}") == {first}
    period = Subject(Run.objects.get(experiment=two[1], instance__environment="pricing"), 1)
    tag_add(subject=period, name="odd", user=cast.edda)
    assert runs_shown(f"&tag={tag.pk}") == {first}, "a tag of a period is not one of its run"
    tag_add(subject=Subject(period.thing), name="odd", user=cast.edda)
    assert runs_shown(f"&tag={tag.pk}") == {first, second}
    text = browser.get(f"/leaderboard/?periods=2&tag={tag.pk}").content.decode()
    assert "runs tagged odd" in text and f"tag={tag.pk}" in text.split("/leaderboard/cell/")[1].split('"')[0]
    asked = f"agent=random&environment=pricing&difficulty=BASIC&periods=2&tag={tag.pk}"
    assert "2 of 2 instances" in browser.get(f"/leaderboard/cell/?{asked}").content.decode()


def test_the_litmus_page_by_tag(cast, two):
    tag = tag_add(subject=Subject(two[0]), name="odd", user=cast.edda)
    browser = cast.browsers["vera"]
    everything = browser.get("/litmus/runs.csv?scope=all").content.decode()
    tagged = browser.get(f"/litmus/runs.csv?scope=all&tag={tag.pk}").content.decode()
    assert 0 < tagged.count("\n") - 1 < everything.count("\n") - 1
    page = browser.get(f"/litmus/?scope=all&tag={tag.pk}", headers={"HX-Request": "true"})
    assert page["HX-Push-Url"] == f"/litmus/?tag={tag.pk}&scope=all"
    assert "runs tagged odd" in page.content.decode()
