"""Lists filtered by tag: experiments, the leaderboard and the litmus page."""

from itertools import product

import pytest

from runs.models import Run
from runs.services.experiments import experiment_rename


@pytest.fixture
def two(played):
    """Two experiments, each with a run of the pricing game and one of a litmus test."""
    environments = ("pricing", "efficiency_vs_equality")
    options = {"environments": environments, "difficulties": ("BASIC", "STANDARD"), "periods": 2}
    return [played("random", "equality-greedy-equality", seeds=(seed,), **options) for seed in (0, 1)]


@pytest.mark.long
def test_experiments_are_filtered_by_tag(text, tag, two):
    for experiment, name in zip(two, ("First one", "Second one"), strict=True):
        experiment_rename(experiment=experiment, name=name)
    odd = tag("odd", on=two[0])
    everything, only = text("vera", "/experiments/"), text("vera", f"/experiments/?tag={odd.pk}")
    assert f'href="/experiments/?tag={odd.pk}"' in everything and "Second one" in everything
    assert "First one" in only and "Second one" not in only
    assert f'<option value="{odd.pk}" selected>odd' in only
    tag("ODD", on=two[1])
    assert "Second one" in text("vera", f"/experiments/?tag={odd.pk}")


@pytest.mark.long
def test_a_foreign_or_missing_tag_matches_nothing_and_an_invalid_tag_is_ignored(text, two, other):
    foreign = other.organization.tags.create(name="secret", key="secret")
    foreign.taggings.create(experiment=two[0])
    leaderboards = ("/leaderboard/?periods=2&", "/litmus/?scope=all&")
    for number in (foreign.pk, 999999):
        shown = text("vera", f"/experiments/?tag={number}")
        assert "No experiments match these filters." in shown
        assert "A tag that is gone" in shown and "secret" not in shown
        for address in leaderboards:
            shown = text("vera", f"{address}tag={number}&rows=baseline")
            assert "a tag that is gone" in shown and "secret" not in shown
            table = shown.partition("<table")[2].partition("</table>")[0]
            assert "Random" not in table and "Greedy" not in table
    for nonsense, address in product(("x", "-1", "%00", "0", "9" * 30), ("/experiments/?", *leaderboards)):
        shown = text("vera", f"{address}tag={nonsense}&rows=baseline")
        assert any(name in shown for name in ("seed 0", "Random", "Greedy")), (address, nonsense)


@pytest.mark.long
def test_leaderboards_count_tagged_runs_and_all_runs_of_tagged_experiments(cast, text, tag, two):
    odd = tag("odd", on=two[0])
    browser, address = cast.browsers["vera"], "/leaderboard/figure.json?chart=pricing&periods=2"

    def runs_shown(query=""):
        traces = browser.get(address + query).json()["data"]
        return {url for trace in traces for url in trace.get("customdata", ())}

    runs = [Run.objects.get(experiment=experiment, instance__environment="pricing") for experiment in two]
    first, second = (f"/runs/{run.pk}/" for run in runs)
    assert runs_shown() == {first, second}
    assert runs_shown(f"&tag={odd.pk}") == {first}
    tag("odd", 1, on=runs[1])
    assert runs_shown(f"&tag={odd.pk}") == {first}, "a tag of a period is not one of its run"
    tag("odd", on=runs[1])
    assert runs_shown(f"&tag={odd.pk}") == {first, second}
    leaderboard = text("vera", f"/leaderboard/?periods=2&tag={odd.pk}")
    assert (
        "runs tagged odd" in leaderboard and f"tag={odd.pk}" in leaderboard.split("/leaderboard/cell/")[1].split('"')[0]
    )
    asked = f"agent=random&environment=pricing&difficulty=BASIC&periods=2&tag={odd.pk}"
    assert "2 of 2 instances" in text("vera", f"/leaderboard/cell/?{asked}")
    everything, tagged = (text("vera", f"/litmus/runs.csv?scope=all{by}") for by in ("", f"&tag={odd.pk}"))
    assert 0 < tagged.count("\n") - 1 < everything.count("\n") - 1
    page = browser.get(f"/litmus/?scope=all&tag={odd.pk}", headers={"HX-Request": "true"})
    assert page["HX-Push-Url"] == f"/litmus/?tag={odd.pk}&scope=all"
    assert "runs tagged odd" in page.text
