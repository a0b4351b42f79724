"""Template tags for sentences and rows of the behaviour page."""

from collections.abc import Sequence

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from analysis.behaviour.metric_tests import MetricTest
from analysis.behaviour.pairs import Pair, PairGrid, agreement, answer
from analysis.templatetags.compare import signed
from infrastructure.text.formats import number, probability, share
from infrastructure.text.table_cells import number_cells
from stats.pairwise import SignedRank, Welch

register = template.Library()
register.filter("answer", answer)
register.filter("agreement", agreement)
register.filter("number_cells", number_cells)


@register.simple_tag
def pair_rows(grid: PairGrid) -> SafeString:
    """Render the tests of every pair as table rows. A template would take several times as long for hundreds of cells."""
    return format_html_join("", '<tr><th scope="row">{} against {}</th>{}</tr>', map(_row, grid.pairs))


@register.simple_tag
def metric_test_rows(tests: Sequence[MetricTest]) -> SafeString:
    """Render the tests of every two agents in a metric as table rows, in Python for the same reason."""
    return format_html_join(
        "",
        '<tr><th scope="row">{}, {}</th><td>{}</td><td>{}, {}</td>{}</tr>',
        (
            (row.metric.title, row.metric.unit, row.difficulty, row.first, row.second, welch_cells(row.test))
            for row in tests
        ),
    )


@register.simple_tag
def welch_cells(test: Welch | str) -> SafeString:
    """Welch's test of two groups as eight cells, or why there is none."""
    if isinstance(test, str):
        return format_html('<td colspan="8" class="faint">{}</td>', test)
    cells = (
        number(test.first_mean, 1),
        number(test.second_mean, 1),
        signed(test.difference),
        f"{test.first_n}, {test.second_n}",
        number(test.t),
        number(test.degrees, 1),
        probability(test.p),
        probability(test.adjusted_p),
    )
    return number_cells(cells)


def _row(pair: Pair) -> tuple[str, str, SafeString]:
    pooled, *by_difficulty = pair.tests.values()
    cells = [str(pooled.n), signed(pooled.difference), share(pooled.effect), _p(pooled), probability(pooled.adjusted_p)]
    if len(by_difficulty) > 1:
        cells += (
            _p(test) if test.p is None else f"{_p(test)} ({probability(test.adjusted_p)})" for test in by_difficulty
        )
        # The text has the form X/Y, as in the heatmap of consistency.
        cells.append("{}/{}".format(*pair.consistency()))
    return pair.first.name, pair.second.name, number_cells(cells)


def _p(test: SignedRank) -> str:
    return "too few" if test.p is None else f"{probability(test.p)}{test.stars}"
