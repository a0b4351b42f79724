"""Scores under several prompts and numbers of periods: known answers by hand, and the page."""

import numpy as np
import pytest

from analysis.base.table import BenchmarkColumn, Kind, TableRow
from analysis.figures.courses.sensitivity import NOTHING, sensitivity_figure
from analysis.sensitivity.conditions import Condition, ScoredRun, Sensitivity, condition_scores, sentences
from infrastructure.figures.colours import agent_styles
from stats.paired import holm, paired
from stats.summaries import pooled_deviation
from tests.figures import check_figure, traces

BASIC = BenchmarkColumn("pricing", "BASIC")
HOUSE = TableRow("<b>House", Kind.OWN, 1, "house")
MAIN, SHORT, OTHER = Condition("main", 100), Condition("main", 50), Condition("main+concise", 100)


def rows_of(scores):
    """scores: by condition, (instance, share) pairs"""
    runs = [ScoredRun(1, BASIC, condition, *pair) for condition, pairs in scores.items() for pair in pairs]
    return condition_scores(runs, [HOUSE], [BASIC], MAIN)


def test_a_condition_is_paired_with_the_main_one_on_common_instances():
    rng = np.random.default_rng(1)
    main, other, short = rng.beta(4, 2, (3, 8))
    main_row, prompt, length = rows_of(
        {SHORT: enumerate(short[:7]), MAIN: enumerate(main), OTHER: [*enumerate(other), (99, 0.1)]}
    )
    assert [row.condition for row in (main_row, prompt, length)] == [MAIN, OTHER, SHORT]
    assert main_row.against is None and main_row.mean == pytest.approx(100 * main.mean())
    assert main_row.seeds == pytest.approx(100 * main.std(ddof=1)) and main_row.repeats is None
    tests = [paired(100 * (other - main)), paired(100 * (short - main)[:7])]
    assert [row.against.n for row in (prompt, length)] == [8, 7]
    for row, test, adjusted in zip((prompt, length), tests, holm([test.p for test in tests]), strict=True):
        assert row.against.difference == pytest.approx(test.difference)
        assert (row.against.p, row.adjusted_p) == (pytest.approx(test.p), pytest.approx(adjusted))


def test_repeats_of_an_instance_have_a_pooled_standard_deviation_and_count_as_their_mean():
    (row,) = rows_of({MAIN: [(1, 0.4), (1, 0.6), (2, 0.9), (3, 0.2), (3, 0.2), (3, 0.5)]})
    assert row.scores == pytest.approx([50, 90, 30])
    assert row.repeats == pytest.approx(np.sqrt((10**2 * 2 + 10**2 * 2 + 20**2) / 3))
    assert pooled_deviation([[1.0], [2.0]]) is None


def test_sentences_say_what_differs_and_whether_there_are_enough_instances():
    far = rows_of({MAIN: [(seed, 0.9) for seed in range(8)], SHORT: [(seed, 0.5 + seed / 50) for seed in range(8)]})
    (text,) = sentences(Sensitivity(far, MAIN))
    assert "<b>House scores 33.0 points less with 50 periods than with 100" in text
    assert text.endswith("evidence of a difference.")
    few = rows_of({MAIN: [(1, 0.9)], OTHER: [(1, 0.8)]})
    assert "less under the prompt main+concise than under main" in sentences(Sensitivity(few, MAIN))[0]
    assert "too few instances" in sentences(Sensitivity(few, MAIN))[0]
    apart = rows_of({MAIN: [(1, 0.9)], OTHER: [(2, 0.8)]})
    assert sentences(Sensitivity(apart, MAIN))[0].startswith("No agent has finished an instance both")


def test_the_figure_has_a_row_for_each_condition_with_its_interval():
    rows = rows_of({MAIN: [(seed, 0.5 + seed / 20) for seed in range(8)], SHORT: [(1, 0.5)]})
    figure = sensitivity_figure(Sensitivity(rows, MAIN), agent_styles([(1, False)]))
    check_figure(figure)
    assert figure["layout"]["yaxis"]["ticktext"] == ["main, 100 periods", "50 periods"]
    means = traces(figure, "‹b›House")
    assert [trace["x"] for trace in means] == [[pytest.approx(67.5)], [50.0]]
    (line,) = [trace for trace in figure["data"] if trace["mode"] == "lines"]
    assert line["x"] == pytest.approx(list(rows[0].interval))
    assert sensitivity_figure(Sensitivity([], MAIN), {})["layout"]["meta"]["description"] == NOTHING


def test_the_page_reads_other_prompts_and_lengths_but_not_both_at_once(page, run_row):
    for seed in range(2):
        run_row("a", 0.9, seed=seed)
        run_row("a", 0.5, seed=seed, periods=50)
        run_row("a", 0.7, seed=seed, variant="as_run")
        run_row("a", 0.1, seed=seed, variant="as_run", periods=50)
    run_row("b", 0.9)
    text = page.get("/sensitivity/").text
    assert "a scores 40.0 points less with 50 periods than with 100" in text
    assert "a scores 20.0 points less under the prompt as_run than under main" in text
    lines = page.get("/sensitivity/table.csv").text.splitlines()
    assert [line.split(",")[2:7] for line in lines[1:]] == [
        ["a", "main", "100", "2", "2"],
        ["a", "as_run", "100", "2", "2"],
        ["a", "main", "50", "2", "2"],
    ]
