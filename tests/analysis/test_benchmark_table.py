"""Means, cells, the order of the rows, the published rows, and files of the table."""

import csv
import io
import math

import pytest

from analysis.base.table import Kind
from analysis.benchmark.published import benchmark_scores
from analysis.benchmark.table import BenchmarkColumn, benchmark_table, cell_summary
from analysis.exports import benchmark_csv, benchmark_latex, benchmark_runs_csv
from infrastructure.text.csv_cells import csv_cell
from stats.summaries import standard_error, summary

BASIC = BenchmarkColumn("pricing", "BASIC")
HARD = BenchmarkColumn("pricing", "HARD")


def names(table):
    return [row.name for row in table.rows]


def test_several_runs_of_one_instance_count_once(record):
    cell = cell_summary([record(0.0, seed=0), record(1.0, seed=0), record(0.9, seed=1)])
    assert cell.mean == pytest.approx(0.7)
    assert (cell.n, cell.of) == (2, 2)


def test_a_run_that_did_not_finish_or_has_no_score_is_in_no_mean_but_in_the_coverage(record):
    for state in ("queued", "running", "waiting", "paused", "stalled", "errored", "cancelled"):
        cell = cell_summary([record(0.8, seed=0), record(0.1, seed=0, state=state), record(0.1, seed=1, state=state)])
        assert (cell.mean, cell.n, cell.of, cell.left_out) == (0.8, 1, 2, 2), state
    cell = cell_summary([record(None)])
    assert (cell.mean, cell.n, cell.of, cell.solved) == (None, 0, 1, None)


def test_an_instance_counts_as_solved_where_every_finished_run_solved_it(record):
    runs = [record(1.0, seed=0, solved=True), record(1.0, seed=1, solved=True), record(0.9, seed=1, solved=False)]
    assert cell_summary(runs).solved == 1
    assert cell_summary([record(0.9)]).solved is None


def test_rows_say_whose_they_are_and_runs_of_other_columns_are_left_out(record):
    runs = [record(), record(agent_id=2, is_baseline=True), record(agent_id=3, difficulty="CUSTOM")]
    assert [row.kind for row in benchmark_table(runs, [], [BASIC]).rows] == [Kind.OWN, Kind.BASELINE]


def test_rows_come_by_overall_mean_with_incomplete_ones_last(record):
    best, worst = {"agent_id": 1, "agent_name": "Best"}, {"agent_id": 2, "agent_name": "Worst"}
    partial = {"agent_id": 3, "agent_name": "Only BASIC"}
    runs = [record(s, difficulty=d, **who) for who, s in ((worst, -0.3), (best, 0.1)) for d in ("BASIC", "HARD")]
    table = benchmark_table([record(1.0, **partial), *runs], [], [BASIC, HARD])
    assert names(table) == ["Best", "Worst", "Only BASIC"]


def test_rows_can_come_by_a_column_or_by_name(record):
    runs = [record(0.3, agent_id=1, agent_name="b"), record(0.7, agent_id=2, agent_name="A")]
    assert names(benchmark_table(runs, [], [BASIC], "pricing.BASIC")) == ["b", "A"]
    assert names(benchmark_table(runs, [], [BASIC], "-pricing.BASIC")) == ["A", "b"]
    assert names(benchmark_table(runs, [], [BASIC], "agent")) == ["A", "b"]


def test_the_coverage_counts_own_cells_only(record):
    runs = [record(0.5, seed=0), record(seed=1, state="stalled")]
    assert benchmark_table(runs, [], [BASIC]).coverage == (1, 2)


def test_the_standard_error_is_the_sample_deviation_over_the_root_of_n():
    assert standard_error([0.2, 0.4, 0.9]) == pytest.approx(math.sqrt(0.13) / math.sqrt(3))
    assert standard_error([0.7]) is None


def test_a_summary_says_how_many_of_how_many():
    found = summary([0.5, 1.0], of=3, solved=1)
    assert (found.mean, found.n, found.of, found.solved, found.complete) == (0.75, 2, 3, 1, False)
    assert summary([], of=3, solved=0).mean is None


PRINTED = [
    ("Gemini 1.5 Pro", "procurement", "BASIC", 62.3, 1),
    ("Claude 3.5 Sonnet", "scheduling", "BASIC", 100.0, 12),
    ("GPT-4o", "scheduling", "MEDIUM", -4.5, 0),
    ("GPT-5", "pricing", "HARD", 58.9, None),
    ("Gemini 3 Pro Preview", "procurement", "HARD", 99.6, 8),
]


def test_a_cell_is_as_in_table_4():
    scores = {(s.llm, s.environment, s.difficulty): s.summary for s in benchmark_scores()}
    assert len(scores) == len(benchmark_scores()) == 8 * 9, "eight LLMs in nine cells"
    for *place, score, solved in PRINTED:
        cell = scores[tuple(place)]
        assert (round(cell.mean * 100, 1), cell.solved) == (score, solved), place
        assert (cell.n, cell.of, cell.standard_error) == (12, 12, None)


def test_published_scores_stay_apart_from_own_ones_of_the_same_name(record):
    table = benchmark_table([record(0.1, agent_name="GPT-5")], benchmark_scores(), [BASIC])
    rows = {row.kind: row.cells[0].mean for row in table.rows if row.name == "GPT-5"}
    assert rows == {Kind.OWN: 0.1, Kind.PUBLISHED: 0.886}


COLUMNS = [BenchmarkColumn("scheduling", "BASIC"), BASIC]


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_text_that_a_spreadsheet_would_run_is_made_harmless():
    for text in ("=1+1", "+1", "-1", "@x", "\tx", "\rx"):
        assert csv_cell(text) == f"'{text}"


def test_negative_numbers_stay_numbers(record):
    assert csv_cell(-0.045) == -0.045
    (line,) = rows(benchmark_runs_csv([record(-0.25, agent_name="=HYPERLINK(1)")]))
    assert (line["score"], line["agent"]) == ("-0.25", "'=HYPERLINK(1)")


def test_the_table_as_csv_has_a_line_a_cell_with_unrounded_scores(record):
    table = benchmark_table([record(1 / 3, seed=0), record(2 / 3, seed=1)], [], COLUMNS)
    (line,) = rows(benchmark_csv(table))
    assert float(line["mean_score"]) == 0.5
    assert (line["agent"], line["row"], line["instances_scored"]) == ("House", "own", "2")


def test_the_table_as_latex_groups_columns_and_marks_published_rows(record):
    table = benchmark_table(
        [record(0.5, agent_name="a_b & c"), record(0.7, seed=1, agent_name="a_b & c")], benchmark_scores(), COLUMNS
    )
    text = benchmark_latex(table)
    assert r"\multicolumn{1}{c}{Scheduling}" in text
    assert r"GPT-5 (published) & $100.0$ {\scriptsize 12/12} & $88.6$ \\" in text
    assert r"a\_b \& c & -- & $60.0$ {\scriptsize $\pm$ 10.0} \\" in text
