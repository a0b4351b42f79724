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
    assert text.count("open the launch form") == 1 and text.count("data-figure") == 1
    for name in ("pareto", "markets", "patience", "names"):
        figure = page.get(f"/litmus/{name}.json").json()
        assert figure["layout"]["meta"]["description"], name
        assert bool(figure["data"]) == (name in ("pareto", "markets")), "published scores are drawn"
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
    assert list(before.values()) == [SIGNED_IN + 11, PARTIAL + 2, PARTIAL + 7]
    for seed in range(1, 3):
        for agent in ("a", "b"):
            equality(0.5, seed, agent=agent)
            equality(0.9, seed, "efficiency", agent=agent)
    assert before == {address: queries_of(page, address) for address in before}


def test_the_page_shows_one_test_as_a_tab_that_keeps_the_filters(page, equality):
    equality(0.2, name="House model")
    first = page.get(PAGE, {"rows": ["own", "published"]})
    plain, first = without_filters(first), first.text
    assert first.count('class="panel litmus-test"') == 1 and "Revenue against equal pay" in first
    assert '"?rows=own&amp;rows=published&amp;test=patience_vs_impatience"' in first
    second = page.get(PAGE, {"test": "collusiveness_vs_competitiveness"})
    assert "Average prices of two sellers" in without_filters(second) and "House model" not in without_filters(second)
    for name in ("Efficiency or equality", "Collusion", "Patience", "Competency", "Reliability"):
        assert name in plain, name
    assert "(0 %, 0 %)" not in first and "Comp." not in first


def test_published_models_are_open_marks_in_every_chart(page, equality):
    equality(0.2)
    for chart in ("pareto", "markets", "reliability-curve"):
        traces = page.get(f"/litmus/{chart}.json").json()["data"]
        marks = [mark for trace in traces if isinstance(mark := trace.get("marker", {}).get("symbol"), list)]
        assert marks and all(symbol.endswith("-open") for symbol in marks[0]), chart
        hidden = page.get(f"/litmus/{chart}.json", {"rows": "own"}).json()["data"]
        assert not any(isinstance(trace.get("marker", {}).get("symbol"), list) for trace in hidden)


def test_a_missing_competency_is_said_once_for_many_agents(page, equality):
    for agent in ("a", "b", "c", "d"):
        equality(0.2, agent=agent, name=f"Model {agent}")
        equality(0.3, 1, agent=agent, name=f"Model {agent}")
    text = without_filters(page.get(PAGE))
    assert text.count("Competency is not known: no efficiency or equality run was launched.") == 4 * 2 + 1
    assert "4 agents: Competency is not known" in text and 'class="whisker"' in text


def test_the_table_has_one_line_a_row(page, equality):
    for seed, score in enumerate((0.2, 0.4, 0.5, 0.1)):
        equality(score, seed, name="House model")
    cells = page.get(PAGE).text.split('class="table board litmus"')[1].split("<tbody>")[1].split("</tbody>")[0]
    assert "<small" not in cells, cells[cells.index("<small") - 300 :][:500]
    assert "4 runs</span>" in cells and 'class="whisker"' in cells
