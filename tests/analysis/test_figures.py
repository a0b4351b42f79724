"""Figures are valid Plotly, use only colour tokens, and comply with the content security policy."""

from pathlib import Path

import numpy as np
import pytest

from analysis.base.table import BenchmarkColumn, Kind, TableRow
from analysis.benchmark.cells import CellScores
from analysis.benchmark.table import ScoredRun, ScoredRuns, benchmark_table
from analysis.figures.dots import NO_RUNS, strip_figure
from analysis.plotly_css import BUNDLE, TARGET, rules, style_ids, style_sheet
from infrastructure.figures.colours import agent_styles
from infrastructure.figures.swarm import offsets
from infrastructure.figures.theme import plain
from tests.figures import check_figure


def strip(name, *runs, difficulties=("BASIC",)):
    """The strip plot of one agent; runs are (difficulty, score)."""
    found = [(level, ScoredRun(number, number, score)) for number, (level, score) in enumerate(runs, 1)]
    shown = {(1, level): [run for of, run in found if of == level] for level in difficulties}
    columns = [BenchmarkColumn("pricing", level) for level in difficulties]
    cells = []
    for column in columns:
        here = shown[1, column.difficulty]
        seeds, scores = np.array([run.seed for run in here]), np.array([run.score for run in here])
        cells.append(CellScores(1, column, seeds, scores, scored=len(here)))
    table = benchmark_table(cells, [TableRow(name, Kind.OWN, 1, "a")], [], columns)
    scores = [score for _, score in runs]
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


def test_baselines_are_hollow_with_a_dot_and_agents_beyond_the_palette_have_another_symbol():
    styles = agent_styles([(number, number > 10) for number in range(12)])
    assert styles[11].symbol == "circle-open-dot"
    assert styles[0].colour == styles[10].colour and styles[0].symbol != styles[10].symbol


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
