"""Scores by difficulty: the published means of the paper's figure 3, and own rows with their standard errors."""

import numpy as np

from analysis.base.benchmark_filters import TableFilter
from analysis.base.published import benchmark_scores
from analysis.base.table import BenchmarkColumn, Kind, TableRow
from analysis.benchmark.table import CellScores, benchmark_table
from analysis.figures.difficulties import DASHED, MOST_LINES, NOTHING, difficulties_figure
from infrastructure.figures.colours import agent_styles
from tests.figures import check_figure, traces

STYLES = agent_styles([(1, False), (2, True)])


def test_the_published_means_are_those_of_figure_3():
    table = benchmark_table([], [], benchmark_scores(), TableFilter().columns)
    figure = difficulties_figure(table, STYLES)
    check_figure(figure)
    assert len(figure["layout"]["annotations"]) == 3
    by_axis = {trace.get("yaxis", "y"): trace["y"] for trace in traces(figure, "Gemini 3 Pro Preview (published)")}
    assert by_axis["y"][0] == 100.0 and by_axis["y"][2] == 99.6
    lines = [trace for trace in figure["data"] if trace["mode"] == "lines"]
    assert {line["line"]["dash"] for line in lines} == {DASHED}
    names = {trace["name"] for trace in figure["data"] if trace["name"]}
    assert len(names) == min(MOST_LINES, len(table.rows))


def test_own_rows_have_bars_of_standard_errors_and_a_row_with_one_difficulty_has_no_line():
    columns = [BenchmarkColumn("pricing", level) for level in ("BASIC", "HARD")]
    scores = np.array([0.4, 0.6, 0.8])
    cells = [CellScores(1, column, np.arange(3), scores, scored=3) for column in columns]
    cells.append(CellScores(2, columns[0], np.arange(3), scores, scored=3))
    agents = [TableRow("<b>House", Kind.OWN, 1, "house"), TableRow("Rule", Kind.BASELINE, 2, "rule")]
    figure = difficulties_figure(benchmark_table(cells, agents, [], columns), STYLES)
    check_figure(figure)
    (dots,) = traces(figure, "‹b›House")
    assert dots["y"] == [60.0, 60.0] and np.allclose(dots["error_y"]["array"], 20 / np.sqrt(3))
    assert "± 11.5 points, 3 instances" in dots["hovertext"][0]
    assert not traces(figure, "Rule (baseline)")
    empty = difficulties_figure(benchmark_table([], [], [], columns), {})
    assert empty["layout"]["meta"]["description"] == NOTHING
