"""One sentence for each table of the page, which its fold shows while it is closed. Pure functions."""

from collections.abc import Iterable, Sequence

from analysis.behaviour.means import SCORE_LINE, FitRow, ReasoningTest
from analysis.behaviour.pairs import PairGrid
from games.parts import Metric
from infrastructure.text.formats import counted, lowfirst, p_text
from stats.lines.fits import Fit
from stats.means import LEVEL
from stats.pairwise import Welch


def changes_sentence(grid: PairGrid) -> str:
    """Of the tests of the easiest against the hardest difficulty."""
    return _tests([change.test for change in grid.changes], "agent differs,agents differ")


def reasoning_sentence(rows: Sequence[ReasoningTest]) -> str:
    return _tests([row.test for row in rows], "test finds a difference,tests find a difference")


def has_test(tests: Iterable[Welch | str]) -> bool:
    return any(isinstance(test, Welch) for test in tests)


def _tests(tests: Sequence[Welch | str], nouns: str) -> str:
    """How many tests are significant after Holm's method, or why there is none."""
    made = [test for test in tests if isinstance(test, Welch)]
    if not made:
        return f"No test: {lowfirst(str(tests[0]))}" if tests else "No test."
    differing = sum((test.adjusted_p or 0.0) < LEVEL for test in made)
    return f"{differing} of {counted(len(made), nouns)} after Holm's method."


def fits_sentence(fits: Iterable[FitRow], metric: Metric) -> str:
    """The lines of score over a metric: 'R² 0.52, p 0.03 on HARD; no line on BASIC and MEDIUM.'"""
    rows = [row for row in fits if row.metric == metric.title and row.of == SCORE_LINE]
    lines = [
        f"R² {row.line.r_squared:.2f}, {p_text(row.line.p)} on {row.difficulty}"
        for row in rows
        if isinstance(row.line, Fit)
    ]
    missing = [row.difficulty for row in rows if isinstance(row.line, str)]
    without = [f"no line on {', '.join(missing)}"] if missing else []
    return f"{'; '.join([*lines, *without])}."
