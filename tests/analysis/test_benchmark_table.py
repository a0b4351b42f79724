"""Means, cells, the order of the rows, the published rows, and files of the table."""

import csv
import io
import math
from collections import defaultdict
from itertools import count

import numpy as np
import pytest

from analysis.answers.leaderboard import LEADERBOARD
from analysis.base.benchmark_filters import TableFilter
from analysis.base.published import benchmark_scores
from analysis.base.table import BenchmarkColumn, Kind, TableRow
from analysis.benchmark.cells import CellScores
from analysis.benchmark.leaderboard import cell_sentence
from analysis.benchmark.runs import table_of
from analysis.benchmark.selectors import runs_summary, scored_runs
from analysis.benchmark.table import ScoredRun, benchmark_table
from analysis.experiments.selectors import scores_table
from infrastructure.text.csv_cells import csv_cell
from infrastructure.text.tables import as_csv, as_latex
from runs.engine.period import quality_columns
from runs.models import Agent, Run
from stats.summaries import standard_error, summary

BASIC = BenchmarkColumn("pricing", "BASIC")
HARD = BenchmarkColumn("pricing", "HARD")


ids = count(1)


def one(score=0.5, agent=1, column=BASIC, instance=None, **more):
    """The score of an agent on an instance."""
    return agent, column, instance or next(ids), score, more


def table(scores, names, columns=(BASIC,), published=(), **more):
    """A table of agents 1, 2, ... with these names."""
    groups = defaultdict(list)
    for one in scores:
        groups[one[:2]].append(one[2:])
    cells = [
        CellScores(
            agent,
            column,
            np.array([instance for instance, _, _ in found]),
            np.array([score for _, score, _ in found], dtype=np.float64),
            scored=sum(more.get("scored", 1) for _, _, more in found),
            left_out=sum(more.get("left_out", 0) for _, _, more in found),
        )
        for (agent, column), found in groups.items()
    ]
    players = [TableRow(name, Kind.OWN, number, name.lower()) for number, name in enumerate(names, 1)]
    return benchmark_table(cells, players, published, columns, **more)


def names(found):
    return [row.name for row in found.rows]


def cell_of(runs):
    return runs_summary(runs)


def test_several_runs_of_an_instance_count_once(run_row, organization):
    for seed, score in ((0, 0.0), (0, 1.0), (1, 0.9)):
        run_row(score=score, seed=seed)
    cell = cell_of(Run.objects.all())
    assert cell.mean == pytest.approx(0.7)
    assert (cell.n, cell.of) == (2, 2)


def test_unfinished_and_unscored_runs_count_in_the_coverage_but_not_in_the_mean(run_row):
    run_row(score=0.8, seed=0)
    going = [run_row(score=0.1, seed=seed, state="queued") for seed in (0, 1)]
    for state in ("queued", "running", "waiting", "paused", "stalled", "errored", "cancelled"):
        Run.objects.filter(pk__in=[run.pk for run in going]).update(state=state)
        cell = cell_of(Run.objects.all())
        assert (cell.mean, cell.n, cell.of, cell.left_out) == (0.8, 1, 2, 2), state
    Run.objects.filter(state="finished").update(score=None)
    cell = cell_of(Run.objects.filter(instance__seed=0))
    assert (cell.mean, cell.n, cell.of, cell.solved) == (None, 0, 1, None)


def test_an_instance_counts_as_solved_if_every_finished_run_solved_it(run_row):
    for seed, solved in ((0, True), (1, True), (1, False)):
        run_row(score=0.9, seed=seed, solved=solved)
    assert cell_of(Run.objects.all()).solved == 1
    Run.objects.update(solved=None)
    assert cell_of(Run.objects.all()).solved is None


def test_a_strip_plot_shows_scored_runs_or_an_even_selection_of_very_many(run_row):
    rows = [
        run_row(score=score, seed=seed, solved=score > 0.5) for seed, score in enumerate((0.3, 0.9, 0.1, 0.3, 1 / 3))
    ]
    other = run_row("far", difficulty="HARD", score=-0.25, seed=2**32 - 1)
    run_row(score=0.7, state="queued")
    Run.objects.filter(pk=other.pk).update(solved=None)
    found = scored_runs(Run.objects.all())
    house, far = rows[0].agent_id, other.agent_id
    assert found.dots == {
        (house, "BASIC"): [
            ScoredRun(rows[place].pk, place, score, place == 1)
            for place, score in ((2, 0.1), (0, 0.3), (3, 0.3), (4, 1 / 3), (1, 0.9))
        ],
        (far, "HARD"): [ScoredRun(other.pk, 2**32 - 1, -0.25, None)],
    }
    assert (found.total, found.low, found.high) == (6, -0.25, 0.9)
    few = scored_runs(Run.objects.all(), most=3)
    assert [run.score for run in few.dots[house, "BASIC"]] == [0.1, 0.3, 0.9], "every second one, and the highest"
    assert [run.score for run in few.dots[far, "HARD"]] == [-0.25]
    assert scored_runs(Run.objects.none()).total == 0


def test_rows_state_their_kind_and_omit_runs_of_other_columns(run_row, organization):
    run_row()
    run_row("bot")
    Agent.objects.filter(slug="bot").update(baseline="random")
    run_row("far", difficulty="HARD")
    found = table_of(
        organization=organization, table_filter=TableFilter(difficulties=("BASIC",), rows=("own", "baseline"))
    )
    assert [(row.name, row.kind) for row in found.rows] == [("bot", Kind.BASELINE), ("house", Kind.OWN)]


def test_rows_are_sorted_by_overall_mean_with_incomplete_rows_last():
    scores = [one(score, agent, column) for agent, score in ((1, -0.3), (2, 0.1)) for column in (BASIC, HARD)]
    found = table([*scores, one(1.0, 3)], ["Worst", "Best", "Only BASIC"], (BASIC, HARD))
    assert names(found) == ["Best", "Worst", "Only BASIC"]


def test_rows_can_be_sorted_by_a_column_or_by_name():
    scores = [one(0.3, 1), one(0.7, 2)]
    assert names(table(scores, "bA", sort="pricing.BASIC")) == ["b", "A"]
    assert names(table(scores, "bA", sort="-pricing.BASIC")) == ["A", "b"]
    assert names(table(scores, "bA", sort="agent")) == ["A", "b"]


def test_the_coverage_counts_only_our_own_cells():
    scores = [one(0.5), one(None, scored=0, left_out=1)]
    assert table(scores, ["House"]).coverage == (1, 2)


def test_rows_without_significant_differences_share_their_ranks():
    rng = np.random.default_rng(0)
    scores = [
        one(float(rng.normal(mean, 0.05)), agent, instance=instance)
        for agent, mean in ((1, 0.9), (2, 0.5), (3, 0.5), (4, 0.1))
        for instance in range(1, 13)
    ]
    found = table([*scores, one(1.0, 5, HARD)], ["First", "Tied", "Tied too", "Last", "Elsewhere"], (BASIC,))
    assert {row.name: row.standing.ranks for row in found.rows} == {
        "First": (1, 1), "Tied": (2, 3), "Tied too": (2, 3), "Last": (4, 4),
    }  # fmt: skip
    assert {row.standing.ranked_among for row in found.rows} == {4}
    few = [one(score, agent, instance=instance) for agent, score in ((1, 0.9), (2, 0.1)) for instance in range(1, 6)]
    assert {row.standing.ranks for row in table(few, "ab").rows} == {(1, 2)}, "five instances separate nobody"
    assert table(few[:5], "a").rows[0].standing.ranks is None, "one row has no rank"


def test_a_row_is_ranked_among_the_rows_with_scores_in_the_same_columns():
    noise = np.random.default_rng(1).normal(0, 0.02, (5, 2, 12))
    means = {1: (0.9, 0.9), 2: (0.5, 0.5), 3: (0.1, None), 4: (0.8, None), 5: (None, 0.95)}
    scores = [
        one(mean + float(noise[agent - 1, place, instance]), agent, column, 100 * place + instance + 1)
        for agent, by_column in means.items()
        for place, (column, mean) in enumerate(zip((BASIC, HARD), by_column, strict=True))
        for instance in range(12)
        if mean is not None
    ]
    found = table(scores, ["First", "Second", "Low", "High", "Alone"], (BASIC, HARD))
    assert {row.name: row.standing[:4] for row in found.rows} == {
        "First": (1, 2, (1, 1), 2), "Second": (2, 2, (2, 2), 2),
        "High": (1, 2, (1, 1), 2), "Low": (2, 2, (2, 2), 2), "Alone": (None, 0, None, 0),
    }  # fmt: skip
    assert names(found) == ["First", "Second", "Alone", "High", "Low"], "rows with the same columns stand together"


def test_published_own_and_baseline_rows_share_one_ranking_and_only_rows_with_runs_have_a_range():
    scores = [one(mean, agent, column) for agent, mean in ((1, 0.99), (2, 0.3)) for column in COLUMNS for _ in range(6)]
    found = table(scores, ["Ours", "Random"], COLUMNS, benchmark_scores())
    ranks = [row.standing.rank for row in found.rows if row.is_complete]
    assert all(
        low <= row.standing.rank <= high
        for row in found.rows
        if row.standing.ranks
        for low, high in [row.standing.ranks]
    )
    assert ranks == sorted(ranks) and ranks[0] == 1 and ranks[-1] == len(ranks) == 10
    by_name = {(row.name, row.kind): row.standing for row in found.rows}
    assert by_name["Ours", Kind.OWN] == (1, 10, (1, 10), 10), "no test sets it apart from published rows"
    assert by_name["GPT-5", Kind.PUBLISHED][2:] == (None, 0), "it has one score per cell and no runs"


def test_a_mean_over_columns_has_an_interval_and_a_published_one_has_none():
    rng = np.random.default_rng(3)
    scores = [one(float(rng.uniform(0.4, 0.8)), 1, column) for column in COLUMNS for _ in range(8)]
    found = {row.kind: row for row in table(scores, ["House"], COLUMNS, benchmark_scores()).rows}
    low, high = found[Kind.OWN].interval
    assert 0.4 < low < found[Kind.OWN].overall < high < 0.8
    assert found[Kind.PUBLISHED].interval is None
    (alone,) = table(scores[:8], ["House"], COLUMNS[:1]).rows
    assert alone.interval == alone.cells[0].interval, "that of the only column"


def test_a_column_with_different_instances_per_row_is_marked():
    same = [one(0.5, agent, instance=instance) for agent in (1, 2) for instance in (1, 2)]
    assert table(same, "ab").mixed == ()
    assert table([*same, one(0.5, 1, instance=3)], "ab").mixed == (BASIC,)
    assert table([*same, one(None, 1, instance=3, scored=0, left_out=1)], "ab").mixed == ()


def test_a_mean_has_an_interval_from_six_instances():
    assert summary([0.1, 0.2, 0.3, 0.9, 0.4], of=5).interval is None
    low, high = summary([0.1, 0.2, 0.3, 0.9, 0.4, 0.5], of=6).interval
    assert low < 0.4 < high


def test_the_standard_error_is_the_sample_deviation_over_the_root_of_n():
    assert standard_error([0.2, 0.4, 0.9]) == pytest.approx(math.sqrt(0.13) / math.sqrt(3))
    assert standard_error([0.7]) is None


def test_a_summary_states_how_many_instances_have_a_score():
    found = summary([0.5, 1.0], of=3, solved=1)
    assert (found.mean, found.n, found.of, found.solved, found.complete) == (0.75, 2, 3, 1, False)
    assert summary([], of=3, solved=0).mean is None


PRINTED = [
    ("Gemini 1.5 Pro", "procurement", "BASIC", 62.3, 1),
    ("Claude 3.5 Sonnet", "scheduling", "BASIC", 100.0, 12),
    ("GPT-4o", "scheduling", "MEDIUM", -4.5, 0),
    ("GPT-5", "pricing", "HARD", 58.9, None),
    ("Gemini 3 Pro Preview", "procurement", "HARD", 99.6, 8),
    ("Knuth's heuristic", "scheduling", "MEDIUM", 98.1, None),
    ("Knuth's heuristic", "scheduling", "HARD", 76.0, None),
]


def test_a_cell_is_formatted_as_in_table_4():
    scores = {(s.llm, s.environment, s.difficulty): s.summary for s in benchmark_scores()}
    assert len(scores) == len(benchmark_scores()) == 8 * 9 + 3, (
        "eight LLMs in nine cells, and Knuth's heuristic in three"
    )
    for *place, score, solved in PRINTED:
        cell = scores[tuple(place)]
        assert (round(cell.mean * 100, 1), cell.solved) == (score, solved), place
        assert (cell.n, cell.of, cell.standard_error) == (12, 12, None)


def test_published_scores_and_own_scores_of_the_same_name_have_separate_rows():
    found = table([one(0.1)], ["GPT-5"], published=benchmark_scores())
    rows = {row.kind: row.cells[0].mean for row in found.rows if row.name == "GPT-5"}
    assert rows == {Kind.OWN: 0.1, Kind.PUBLISHED: 0.886}


COLUMNS = [BenchmarkColumn("scheduling", "BASIC"), BASIC]


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_text_that_a_spreadsheet_would_execute_is_neutralised():
    for text in ("=1+1", "+1", "-1", "@x", "\tx", "\rx"):
        assert csv_cell(text) == f"'{text}"


def test_negative_numbers_stay_numbers(record):
    assert csv_cell(-0.045) == -0.045
    (line,) = rows(as_csv(LEADERBOARD.table_of("runs", [record(-0.25, agent_name="=HYPERLINK(1)")])))
    assert (line["score"], line["agent"]) == ("-0.25", "'=HYPERLINK(1)")


def test_the_csv_table_has_a_line_per_cell_with_unrounded_scores():
    (line,) = rows(as_csv(LEADERBOARD.table_of("leaderboard", table([one(1 / 3), one(2 / 3)], ["House"], COLUMNS))))
    assert float(line["mean_score"]) == 0.5
    assert (line["agent"], line["row"], line["instances_scored"]) == ("House", "own", "2")


def test_the_latex_table_groups_columns_and_marks_published_rows():
    text = as_latex(
        LEADERBOARD.table_of(
            "leaderboard", table([one(0.5), one(0.7)], ["a_b & c"], COLUMNS, benchmark_scores()), arranged=True
        )
    )
    assert r"\multicolumn{1}{c}{Scheduling, points of 100}" in text
    assert r"GPT-5 (published) & $100.0$ {\scriptsize 12/12} & $88.6$ \\" in text
    assert r"a\_b \& c & -- & $60.0$ {\scriptsize $\pm$ 10.0} \\" in text


def test_a_run_that_ended_without_a_score_bounds_the_mean_by_the_lowest_score_of_any_agent_there(run_row):
    for slug, scores in (("house", (0.8, 0.6, 0.9)), ("rival", (0.4, 0.5, 0.7)), ("third", (0.2, 0.9, 0.1))):
        for seed, score in enumerate(scores):
            run_row(slug, score=score, seed=seed)
    ended = Run.objects.filter(agent__slug="house", instance__seed=2)
    for state in ("stalled", "errored", "cancelled"):
        ended.update(state=state, score=None)
        cells = {row.name: row.cells[0] for row in scores_table(Run.objects.all()).rows}
        assert (cells["house"].mean, cells["house"].missing) == (pytest.approx(0.7), 1), state
        assert cells["house"].bounds == pytest.approx(((0.8 + 0.6 + 0.1) / 3, (0.8 + 0.6 + 1) / 3))
        assert cells["rival"].bounds is None
        assert cells["house"].least == pytest.approx(1.4 / 3)
        assert cell_sentence(cells["house"]).endswith(" the mean is 50.0 to 80.0, and 46.7 if they score 0.")
    Run.objects.filter(instance__seed=2).update(state="errored", score=None)
    house = next(row.cells[0] for row in scores_table(Run.objects.all()).rows if row.name == "house")
    assert house.bounds[0] == pytest.approx(1.4 / 3), "the floor, since no agent has finished it"
    ended.update(state="paused")
    house = next(row.cells[0] for row in scores_table(Run.objects.all()).rows if row.name == "house")
    assert (house.missing, house.bounds, house.of) == (0, None, 3), "it may still go on"
    ended.update(state="cancelled", pause_cause="stage")
    house = next(row.cells[0] for row in scores_table(Run.objects.all()).rows if row.name == "house")
    assert house.bounds is None, "a decided comparison did not need it"


def test_a_score_that_cannot_fall_is_bounded_by_what_the_run_had_reached(run_row, django_assert_num_queries):
    runs = [run_row(environment="procurement", score=0.8, seed=seed) for seed in (0, 1, 2)]
    run_row("rival", environment="procurement", score=0.3, seed=1)
    stalled = Run.objects.filter(pk__in=[run.pk for run in runs[1:]])
    stalled.update(state="stalled", score=None)
    stalled.filter(pk=runs[1].pk).update(**quality_columns([0.2, 0.55, None, 0.0]))
    with django_assert_num_queries(3):
        found = scores_table(Run.objects.all())
    house = next(row.cells[0] for row in found.rows if row.name == "house")
    assert house.bounds == pytest.approx(((0.8 + 0.55 + 0) / 3, (0.8 + 2) / 3))
    assert cell_sentence(house).endswith(" With 2 instances whose runs ended without a score the mean is 45.0 to 93.3.")
    (line, _) = rows(as_csv(LEADERBOARD.table_of("leaderboard", scores_table(Run.objects.all()))))
    assert (line["instances_missing"], float(line["bound_low"])) == ("2", pytest.approx(0.45))
