"""The litmus page and the litmus panel of an experiment, as a member sees them."""

import pytest

from environments.registry import generate
from tests.analysis.conftest import without_filters
from tests.queries import PARTIAL, SIGNED_IN, queries_of

PAGE = "/litmus/"


@pytest.fixture
def equality(run_row):
    """Runs of efficiency versus equality with the metrics a whole run has."""

    def create(score, seed=0, variant="main", **changes):
        metrics = {
            "revenue": 80_000.0, "inequality": 900, "litmus": score, "frontier_distance": 0.1, "frontier_share": 0.95,
        }  # fmt: skip
        problem = generate("efficiency_vs_equality", "STANDARD", seed, changes.pop("generator", "published"))
        return run_row(score=score, problem=problem, variant=variant, metrics=metrics, periods=30, **changes)

    return create


@pytest.mark.long
def test_the_page_without_runs_shows_published_scores_and_what_to_launch(page):
    text = page.get(PAGE).text
    assert "Gemini 3 Pro Preview" in text and "11.3 %" in text and "24.8 %" in text
    assert text.count("open the launch form") == 4 and "data-figure" not in text
    for name in ("pareto", "markets", "patience", "names"):
        figure = page.get(f"/litmus/{name}.json").json()
        assert figure["data"] == [] and figure["layout"]["meta"]["description"], name
    for query in ("seed=x", "generator=x", "sort=nope", "rows=foo", "start=yesterday", "agent=%00"):
        response = page.get(f"{PAGE}?{query}")
        assert response.status_code == 200 and "GPT-4.1" in response.text, query


@pytest.mark.long
def test_own_scores_have_runs_and_error_and_short_runs_appear_on_request(page, equality):
    for seed, score in ((0, 0.2), (1, 0.4)):
        run = equality(score, seed, name="House model")
    text = page.get(PAGE).text
    assert "House model" in text and "0.30" in text and "± 0.10, 2 runs" in text and "run was launched" in text
    run.experiment.runs.update(periods=5)
    assert "House model" not in without_filters(page.get(PAGE))
    assert "House model" in page.get(PAGE, {"scope": "all"}).text


@pytest.mark.long
def test_another_generator_hides_published_rows(page, equality):
    equality(0.2, name="Text model", generator="paper_text")
    text = page.get(PAGE, {"generator": "paper_text"}).text
    assert "Text model" in text and "GPT-4.1" not in text


@pytest.mark.long
def test_each_dot_opens_its_run_and_a_chart_can_show_a_single_seed(page, equality):
    links = [f"/runs/{equality(0.2 + seed / 5, seed).pk}/" for seed in (0, 1)]
    for asked, shown_links in (({}, links), ({"seed": "1"}, links[1:])):
        found = page.get("/litmus/pareto.json", asked).json()
        assert [trace["customdata"] for trace in found["data"] if "customdata" in trace] == [shown_links]


@pytest.mark.long
def test_the_panel_of_an_experiment_shows_scores_and_stops_polling_at_the_end(page, equality):
    run = equality(0.2, name="House model")
    going = equality(None, 1, state="running")
    address = f"/experiments/{run.experiment_id}/litmus/"
    panel = page.get(address)
    text = panel.text
    assert "House model" in text and "1 of 2 runs" in text and 'hx-trigger="every' in text
    assert "GPT-4.1" not in text
    assert page.get(address, {"version": panel.context["version"]}).status_code == 204
    text = page.get(PAGE, {"experiment": run.experiment_id}).text
    assert "House model" in text and run.experiment.name in text and "GPT-4.1" not in text
    type(going).objects.filter(pk=going.pk).update(state="finished", score=0.4)
    text = page.get(address).text
    assert "± 0.10, 2 runs" in text and "hx-trigger" not in text


@pytest.mark.long
def test_the_litmus_page_shows_no_data_of_another_organization(page, equality, other):
    foreign = equality(0.123, name="Rival model", organization=other.organization)
    for url in (PAGE, "/litmus/table.csv", "/litmus/runs.csv", "/litmus/pareto.json"):
        assert "Rival" not in page.get(url).text
    assert page.get(PAGE, {"experiment": foreign.experiment_id}).status_code == 404


def test_files_hold_unrounded_numbers(page, equality):
    equality(1 / 3, name="House model")
    assert "0.333333333333" in page.get("/litmus/table.csv").text
    assert "80000.0" in page.get("/litmus/runs.csv").text


@pytest.mark.long
def test_query_counts_of_litmus_pages_do_not_grow_with_the_runs(page, equality):
    run = equality(0.5)
    before = {
        address: queries_of(page, address)
        for address in (PAGE, f"/experiments/{run.experiment_id}/litmus/", "/litmus/pareto.json")
    }
    assert list(before.values()) == [SIGNED_IN + 10, PARTIAL + 2, PARTIAL + 7]
    for seed in range(1, 3):
        for agent in ("a", "b"):
            equality(0.5, seed, agent=agent)
            equality(0.9, seed, "efficiency", agent=agent)
    assert before == {address: queries_of(page, address) for address in before}
