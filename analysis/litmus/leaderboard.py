"""The litmus table arranged for a page: sortable headings, numbers as text, facts and notes."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from analysis.base.benchmark_filters import environment_title
from analysis.base.leaderboard import NO_LINKS, OWN_DESIGN, Leaderboard, LeaderboardLinks, LeaderboardRow, heading
from analysis.base.litmus_filters import PARTS, WHOLE, LitmusFilter, litmus_prompts
from analysis.base.table import AGENT, Kind
from analysis.litmus.cells import LitmusCell, interval_sentence, whisker_of
from analysis.litmus.scores import LEAST_COMPETENCY, LEAST_RELIABILITY, LitmusScores, litmus_test_of
from analysis.litmus.table import LitmusRow
from environments.generation import difficulty_title, is_design
from environments.registry import LITMUS_TESTS, score_format
from infrastructure.text.formats import counted, share
from stats.summaries import Summary

ScoredRow = tuple[LitmusRow, LitmusScores]
"""A row and its scores in one test."""

MANY = 3
"""A note that concerns more agents than this counts them instead of naming them."""


@dataclass(frozen=True)
class LitmusLeaderboard(Leaderboard[LitmusRow, LitmusCell]):
    """The litmus table as a page shows it.

    tests: (title, scale, columns) of each group
    legend: how to read the numbers, the same for every test
    """

    tests: list[tuple[str, str, int]]
    legend: list[str]


def build_leaderboard(
    rows: Sequence[LitmusRow],
    litmus_filter: LitmusFilter,
    links: LeaderboardLinks = NO_LINKS,
    tests: Sequence[str] = LITMUS_TESTS,
) -> LitmusLeaderboard:
    """Arrange the table for a page, with the columns of the given tests."""
    indices = [LITMUS_TESTS.index(test) for test in tests]
    scored_rows = [
        (row, scores) for row in rows for index in indices if (scores := row.scores[index]) and scores.has_score
    ]
    return LitmusLeaderboard(
        tests=[(environment_title(test), litmus_test_of(test).scale, len(PARTS)) for test in tests],
        agent_heading=heading(AGENT, "Agent", litmus_filter.sort, links),
        headings=[
            heading(
                f"{test}.{part}",
                litmus_test_of(test).column if part == "litmus" else part.capitalize(),
                litmus_filter.sort,
                links,
                first=part == "litmus",
            )
            for test in tests
            for part in PARTS
        ],
        rows=[
            LeaderboardRow(
                row,
                [cell for index in indices for cell in row_cells(row, row.scores[index])],
                can_be_compared=row.has_scores,
            )
            for row in rows
        ],
        legend=_legend(scored_rows),
        notes=_notes(scored_rows, tests),
        links=links,
    )


def tests_with_a_run(rows: Sequence[LitmusRow]) -> list[str]:
    return [test for index, test in enumerate(LITMUS_TESTS) if any(row.scores[index] is not None for row in rows)]


def facts(litmus_filter: LitmusFilter) -> list[str]:
    """The filters in words, for the line under the title."""
    length = "Paper-length runs only" if litmus_filter.scope == WHOLE else "runs of any length"
    if is_design(litmus_filter.scope):
        length = f"{difficulty_title(litmus_filter.scope)} only: {OWN_DESIGN}"
    own = [litmus_prompts(litmus_filter.own_prompt)] if litmus_filter.own_prompt else []
    return [f"{litmus_filter.generator} generator", *own, length, "no score is better than another"]


def row_cells(row: LitmusRow, scores: LitmusScores | None) -> list[LitmusCell]:
    """The cells of a row in the columns of one test."""
    if scores is None:
        return [LitmusCell("–", title="No run.", tone="none", first=index == 0) for index in range(len(PARTS))]
    is_published = row.kind == Kind.PUBLISHED
    return [
        _litmus_cell(scores, is_published),
        _competency_cell(scores, is_published),
        _reliability_cell(scores),
    ]


def _joint_sentence(scores: LitmusScores, part: str) -> str:
    """The interval of one of the three scores that holds together with those of the two others."""
    interval = scores.joint.get(part)
    if interval is None:
        return ""
    text = score_format(scores.test).text if part == "litmus" else share
    return f"Together with the two other scores: {text(interval[0])} to {text(interval[1])}."


def _litmus_cell(scores: LitmusScores, is_published: bool) -> LitmusCell:
    litmus, sentence = scores.litmus, "" if is_published else _sentence("litmus score", scores.litmus)
    format_score = score_format(scores.test).text
    if litmus.mean is None:
        count = "" if is_published else f"0 of {litmus.of}"
        words = sentence or "A baseline has no litmus score."
        return LitmusCell("–", count, words, "none", first=True, count=count)
    error = "" if litmus.standard_error is None else f"± {format_score(litmus.standard_error)}"
    if litmus.interval:
        error = f"95 % interval {'–'.join(map(format_score, litmus.interval))}"
    small = "" if is_published else ", ".join(filter(None, [error, _runs(litmus)]))
    parts = [scores.weak, sentence, interval_sentence(small), scores.bound, _joint_sentence(scores, "litmus")]
    return LitmusCell(
        format_score(litmus.mean),
        small,
        " ".join(filter(None, parts)),
        "weak" if scores.weak else "",
        first=True,
        count="" if litmus.complete else _runs(litmus),
        whisker=whisker_of(litmus, score_format(scores.test).top),
    )


def _reliability_cell(scores: LitmusScores) -> LitmusCell:
    """The cell of the reliability. Its tone depends on the lower end of the interval; without an interval, on the value."""
    steady, interval = scores.reliability, scores.steadiness
    note = "Not known." if steady is None else litmus_test_of(scores.test).reliability_note
    small = f"95 % interval {'–'.join(f'{end:.2f}' for end in interval)}" if interval else ""
    title = " ".join(filter(None, [note, interval_sentence(small), _joint_sentence(scores, "reliability")]))
    return LitmusCell(
        share(steady),
        small,
        title,
        _tone(interval[0] if interval else steady, LEAST_RELIABILITY),
        whisker=whisker_of(Summary(steady, None, 0, 0, interval=interval), 1.0),
    )


def _competency_cell(scores: LitmusScores, is_published: bool) -> LitmusCell:
    competency = scores.competency
    tone, text = _tone(competency.mean, LEAST_COMPETENCY), share(competency.mean)
    if competency.solved is not None:
        runs = counted(competency.n, "run,runs")
        title = f"{competency.solved} of {runs} of a seller alone converged to its optimum."
        return LitmusCell(f"{competency.solved}/{competency.n}", "", title, tone)
    if is_published or not competency.of:
        return LitmusCell(text, "", "" if competency.mean is not None else "Not known.", tone)
    interval = f"95 % interval {'–'.join(map(share, competency.interval))}" if competency.interval else ""
    small = ", ".join(filter(None, [interval, _runs(competency)]))
    parts = [_sentence("competency", competency), interval_sentence(small), _joint_sentence(scores, "competency")]
    return LitmusCell(
        text,
        small,
        " ".join(filter(None, parts)),
        tone,
        count="" if competency.complete else _runs(competency),
        whisker=whisker_of(competency, 1.0),
    )


def _tone(value: float | None, least: float) -> str:
    return "none" if value is None else "low" if value < least else ""


def _runs(summary: Summary) -> str:
    return counted(summary.n, "run,runs") if summary.complete else f"{summary.n} of {counted(summary.of, 'run,runs')}"


def _sentence(name: str, summary: Summary) -> str:
    if summary.mean is None:
        return f"None of {counted(summary.of, 'run,runs')} has finished with a score."
    left = f"; {summary.of - summary.n} more did not finish" if not summary.complete else ""
    return f"Mean {name} of {counted(summary.n, 'finished run,finished runs')}{left}."


def _legend(scored_rows: Sequence[ScoredRow]) -> list[str]:
    small_print = (
        "Competency: whether the agent can pursue one clear goal in the same setting. Reliability: whether its litmus score "
        "is a steady tendency. Whiskers: the 95 % interval of the mean, or its standard error where there is none. Point "
        "at a score to read its interval, its runs, and the interval that holds together with the other two."
    )
    grey = (
        "A greyed litmus score says little: its competency or reliability is unknown or below our threshold of "
        f"{LEAST_RELIABILITY:.2f}, or the interval of its reliability reaches below it."
    )
    unfinished = "Unfinished runs are in no mean; “3 of 5 runs” means that two did not finish."
    return [
        small_print,
        *([grey] if any(scores.weak for _, scores in scored_rows) else []),
        *([unfinished] if not all(scores.litmus.complete for _, scores in scored_rows) else []),
    ]


def _notes(scored_rows: Sequence[ScoredRow], tests: Sequence[str]) -> list[str]:
    """A note for each reason, with the agents that share it, or with their number if they are many.

    If the table has several tests, each note names its test.
    """
    agents: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row, scores in scored_rows:
        title = environment_title(scores.test) if len(tests) > 1 else ""
        for why in (*(() if row.kind == Kind.PUBLISHED else scores.reasons), scores.bound):
            agents[title, why].append(row.name)
    return [
        f"{', '.join(filter(None, [title, *_named(names)]))}: {why}" for (title, why), names in agents.items() if why
    ]


def _named(agents: Sequence[str]) -> Sequence[str]:
    return agents if len(agents) <= MANY else [f"{len(agents)} agents"]
