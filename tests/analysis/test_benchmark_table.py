"""What stands in a cell, and in which order the rows come."""

import pytest

from analysis.base.table import Kind
from analysis.benchmark.table import BenchmarkColumn, benchmark_table, cell_summary

BASIC = BenchmarkColumn("pricing", "BASIC")
HARD = BenchmarkColumn("pricing", "HARD")


def names(table):
    return [row.name for row in table.rows]


def test_a_cell_is_the_mean_over_instances(record):
    table = benchmark_table([record(0.4, seed=0), record(0.8, seed=1)], [], [BASIC])
    assert table.rows[0].cells[0].mean == pytest.approx(0.6)


def test_several_runs_of_one_instance_count_once(record):
    cell = cell_summary([record(0.0, seed=0), record(1.0, seed=0), record(0.9, seed=1)])
    assert cell.mean == pytest.approx(0.7)
    assert (cell.n, cell.of) == (2, 2)


@pytest.mark.parametrize("state", ["queued", "running", "waiting", "paused", "stalled", "errored", "cancelled"])
def test_a_run_that_did_not_finish_is_in_no_mean_but_in_the_coverage(record, state):
    cell = cell_summary([record(0.8, seed=0), record(0.1, seed=1, state=state)])
    assert (cell.mean, cell.n, cell.of) == (0.8, 1, 2)


def test_a_finished_run_without_a_score_is_in_no_mean(record):
    cell = cell_summary([record(None)])
    assert (cell.mean, cell.n, cell.of, cell.solved) == (None, 0, 1, None)


def test_an_instance_counts_as_solved_where_every_finished_run_solved_it(record):
    runs = [record(1.0, seed=0, solved=True), record(1.0, seed=1, solved=True), record(0.9, seed=1, solved=False)]
    assert cell_summary(runs).solved == 1


def test_pricing_has_no_solved_count(record):
    assert cell_summary([record(0.9)]).solved is None


def test_runs_of_other_columns_are_left_out(record):
    assert benchmark_table([record(difficulty="CUSTOM")], [], [BASIC]).rows == ()


def test_rows_say_whose_they_are(record):
    table = benchmark_table([record(), record(agent_id=2, is_baseline=True)], [], [BASIC])
    assert [row.kind for row in table.rows] == [Kind.OWN, Kind.BASELINE]


def test_rows_come_by_overall_mean_with_incomplete_ones_last(record):
    best, worst = {"agent_id": 1, "agent_name": "Best"}, {"agent_id": 2, "agent_name": "Worst"}
    partial = {"agent_id": 3, "agent_name": "Only BASIC"}
    runs = [record(s, difficulty=d, **who) for who, s in ((worst, 0.2), (best, 0.9)) for d in ("BASIC", "HARD")]
    table = benchmark_table([record(1.0, **partial), *runs], [], [BASIC, HARD])
    assert names(table) == ["Best", "Worst", "Only BASIC"]


def test_rows_can_come_by_a_column_or_by_name(record):
    runs = [record(0.3, agent_id=1, agent_name="b"), record(0.7, agent_id=2, agent_name="A")]
    assert names(benchmark_table(runs, [], [BASIC], "pricing.BASIC")) == ["b", "A"]
    assert names(benchmark_table(runs, [], [BASIC], "-pricing.BASIC")) == ["A", "b"]
    assert names(benchmark_table(runs, [], [BASIC], "agent")) == ["A", "b"]


def test_negative_scores_sort_below_positive_ones(record):
    runs = [record(-0.3, agent_id=1, agent_name="below"), record(0.1, agent_id=2, agent_name="above")]
    assert names(benchmark_table(runs, [], [BASIC])) == ["above", "below"]


def test_the_coverage_counts_own_cells_only(record):
    runs = [record(0.5, seed=0), record(seed=1, state="stalled")]
    assert benchmark_table(runs, [], [BASIC]).coverage == (1, 2)
