"""Figures are valid Plotly, use only colour tokens, and comply with the content security policy."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from analysis.base.table import Kind
from analysis.benchmark.table import BenchmarkColumn, CellScores, ScoredRun, ScoredRuns, TableAgent, benchmark_table
from analysis.figures.colours import agent_styles
from analysis.figures.dots import NO_RUNS, offsets, strip_figure
from analysis.figures.episodes.scheduling import requeried
from analysis.figures.panels import NOTHING_PLAYED
from analysis.figures.registry import RUN_FIGURES, run_figure
from analysis.figures.theme import plain
from analysis.plotly_css import BUNDLE, TARGET, rules, style_ids, style_sheet
from environments.registry import GENERATION, generate
from pages.dashboard.presenters import presenter_of
from runs.models import Instance, Run
from tests.analysis.figures import PLAYED, check_figure, traces


@pytest.mark.sampled
@pytest.mark.parametrize(("environment", "difficulty", "baseline", "length"), PLAYED)
@pytest.mark.parametrize("periods", [1, 25, 300])
def test_a_run_has_a_valid_figure_at_every_length(baseline_run, environment, difficulty, baseline, length, periods):
    run = baseline_run(environment, difficulty, baseline)
    figure = run_figure(run.instance, run.outcomes[: min(periods, length)], length)
    check_figure(figure)
    assert figure["layout"]["meta"]["select"] == "period"
    marked = [trace for trace in figure["data"] if trace.get("meta", {}).get("mark")]
    assert marked and all(len(trace["x"]) == len(trace["y"]) for trace in marked)


@pytest.mark.sampled
@pytest.mark.parametrize(("environment", "difficulty", "baseline", "length"), PLAYED)
def test_the_run_page_reserves_the_height_of_its_chart(baseline_run, environment, difficulty, baseline, length):
    run = baseline_run(environment, difficulty, baseline)
    figure = run_figure(run.instance, run.outcomes, length)
    padding = 8  # of .chart
    row = Run(instance=Instance(parameters=run.instance.parameters), variant="main")
    meta = figure["layout"]["meta"]
    heights = (meta["height"] + padding, meta["narrow"].get("height", meta["height"]) + padding)
    assert presenter_of(environment).chart_heights(row) == heights


@pytest.mark.long
def test_a_run_without_a_period_says_so():
    for environment in RUN_FIGURES:
        instance = generate(environment, next(iter(GENERATION[environment].difficulties)), 0)
        figure = run_figure(instance, [], 100)
        check_figure(figure)
        assert figure["data"] == []
        assert figure["layout"]["annotations"][0]["text"] == NOTHING_PLAYED


def test_few_products_have_a_panel_each_and_many_share_a_map(baseline_run):
    four, ten = baseline_run("pricing", "MEDIUM"), baseline_run("pricing", "HARD")
    panels = run_figure(four.instance, four.outcomes, 100)
    assert len([key for key in panels["layout"] if key.startswith("yaxis")]) == 5
    assert not [trace for trace in panels["data"] if trace["type"] == "heatmap"]
    (heat,) = [t for t in run_figure(ten.instance, ten.outcomes, 100)["data"] if t["type"] == "heatmap"]
    assert (len(heat["z"]), len(heat["z"][0])) == (10, 100)


def test_the_optimal_price_is_drawn_over_the_whole_run(baseline_run):
    run = baseline_run("pricing")
    (best,) = traces(run_figure(run.instance, run.outcomes[:10], 100), "profit-maximising")
    assert best["y"] == [prices[0] for prices in run.instance.reference["optimal_prices"]]


@pytest.mark.long
def test_the_optimum_plays_on_the_reference_line(baseline_run):
    run = baseline_run("pricing", baseline="optimum")
    (charged,) = traces(run_figure(run.instance, run.outcomes, 100), "set by agent")
    (best,) = traces(run_figure(run.instance, run.outcomes, 100), "profit-maximising")
    assert charged["y"] == pytest.approx(best["y"], rel=1e-3)


def test_infeasible_plans_are_crosses_and_the_best_score_never_falls(baseline_run):
    run = baseline_run("procurement")
    figure = run_figure(run.instance, run.outcomes, 100)
    (crosses,), (best,) = traces(figure, "plan not feasible"), traces(figure, "best so far")
    assert crosses["x"] == [o.period for o in run.outcomes if not o.result["feasible"]]
    assert set(crosses["y"]) <= {0.0}
    assert best["y"] == sorted(best["y"])
    assert best["y"][-1] == run.score(run.instance, run.outcomes).value


@pytest.mark.long
def test_requeried_periods_agree_with_the_requery_rate(baseline_run):
    run = baseline_run("scheduling", "MEDIUM", "scheduling-knuth")
    rate = run.metrics(run.instance, run.outcomes)["requery_rate"]
    assert sum(requeried(run.outcomes)) / len(run.outcomes) == rate


def test_a_run_that_ends_early_has_a_short_axis(baseline_run):
    run = baseline_run("scheduling", "BASIC", "optimum")
    assert run.outcomes[-1].result["stable"]
    assert run_figure(run.instance, run.outcomes, 100)["layout"]["xaxis"]["range"][1] < 20


def strip(name, *runs, difficulties=("BASIC",)):
    """The strip plot of one agent; runs are (difficulty, score)."""
    found = [ScoredRun(number, 1, level, number, score) for number, (level, score) in enumerate(runs, 1)]
    columns = [BenchmarkColumn("pricing", level) for level in difficulties]
    cells = []
    for column in columns:
        here = [run for run in found if run.difficulty == column.difficulty]
        seeds, scores = np.array([run.seed for run in here]), np.array([run.score for run in here])
        cells.append(CellScores(1, column, seeds, scores, scored=len(here)))
    table = benchmark_table(cells, [TableAgent(1, "a", name, Kind.OWN)], [], columns)
    shown = {(1, level): [run for run in found if run.difficulty == level] for level in difficulties}
    scores = [run.score for run in found]
    return strip_figure(
        table, ScoredRuns(shown, len(found), min(scores), max(scores)), agent_styles([(1, False)]), "/runs/{}/".format
    )


def test_a_hostile_name_is_drawn_literally():
    name = '<b onclick="x">=1</b> &lt;a'
    assert plain(name) == '‹b onclick="x"›=1‹/b› ＆lt;a'
    check_figure(strip(name, ("BASIC", 0.5)))


def test_the_strip_plot_has_a_dot_per_finished_run_that_links_to_it():
    figure = strip("House", ("BASIC", 0.2), ("BASIC", 0.9), ("HARD", -0.5), difficulties=("BASIC", "MEDIUM", "HARD"))
    check_figure(figure)
    titles = [title["text"] for title in figure["layout"]["annotations"]]
    assert titles == ["BASIC, score in points", "HARD, score in points"]
    dots = [trace for trace in figure["data"] if "customdata" in trace]
    assert [trace["x"] for trace in dots] == [[20.0, 90.0], [-50.0]]
    assert dots[0]["customdata"] == ["/runs/1/", "/runs/2/"]
    assert dots[0]["hovertext"][0] == "House, seed 1, run 1: 20.0 points"
    assert figure["layout"]["xaxis"]["range"][0] < -50


def test_a_strip_plot_without_finished_runs_says_so():
    figure = strip_figure(
        benchmark_table([], [], [], [BenchmarkColumn("pricing", "BASIC")]), ScoredRuns({}, 0, 0.0, 0.0), {}, str
    )
    check_figure(figure)
    assert figure["layout"]["annotations"][0]["text"] == NO_RUNS


def test_dots_of_equal_scores_do_not_cover_each_other():
    moved = offsets([100.0] * 12)
    assert len(set(moved)) == 12
    assert max(map(abs, moved)) <= 0.42
    assert offsets([10.0, 50.0, 90.0]) == [0, 0, 0]


def test_agents_keep_their_colours_when_others_join():
    before = agent_styles([(7, False), (3, True), (9, False)])
    after = agent_styles([(7, False), (3, True), (9, False), (1, False), (2, True)])
    assert before.items() <= after.items()


def test_baselines_are_hollow_and_agents_beyond_the_palette_have_another_symbol():
    styles = agent_styles([(number, number > 8) for number in range(10)])
    assert styles[9].symbol == "circle-open"
    assert styles[0].colour == styles[6].colour and styles[0].symbol != styles[6].symbol


def test_the_style_sheet_and_the_head_match_the_installed_bundle():
    bundle = BUNDLE.read_text(encoding="utf-8")
    assert TARGET.read_text(encoding="utf-8") == style_sheet(bundle), "Run: python -m analysis.plotly_css"
    found = rules(bundle)
    assert len(found) > 50
    assert found[".js-plotly-plot .plotly .cursor-pointer"] == "cursor:pointer;"
    # With these ids in the head the bundle writes no styles.
    head = (Path(__file__).parents[2] / "templates" / "analysis" / "_chart_head.html").read_text()
    assert all(f'id="{name}"' in head for name in ["plotly.js-style-global", *style_ids(bundle)])
    with pytest.raises(ValueError, match="style rules"):
        rules("plotly.js v9")


def test_a_panel_explains_its_clipped_values(baseline_run):
    run = baseline_run("pricing", "BASIC", "random")
    losing = [replace(one, result=one.result | {"share_of_optimum": -2.65}) for one in run.outcomes]
    for outcomes, is_clipped in ((run.outcomes, False), (losing, True)):
        fair = [replace(one, result=one.result | {"share_of_optimum": 0.5}) for one in outcomes]
        figure = run_figure(run.instance, outcomes if is_clipped else fair, 100)
        titles = [note["text"] for note in figure["layout"]["annotations"]]
        assert ("▼ beyond the scale" in titles) is is_clipped, titles
