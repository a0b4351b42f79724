"""Two to four agents compared over the instances that they have in common."""

import math
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse, JsonResponse

from accounts.pages.requests import MemberRequest
from analysis import exports
from analysis.benchmark.filters import DIFFICULTIES, TableFilter
from analysis.board_figures import comparison as draw_comparison
from analysis.board_figures import comparison_by_key
from analysis.comparing.comparison import MOST_AGENTS, Comparison
from analysis.comparing.filters import COMPARE_FORMS
from analysis.comparing.selectors import comparisons_of, staged_comparisons_of
from analysis.forms import FilterForm
from analysis.kinds import filter_form
from analysis.models import BoardKind
from analysis.views.answers import filtered_page, run_url, table_file
from environments.base import PERIODS
from stats.sequential import sensible_sizes

LEAST_SEEDS = 12
"""Of the launch of a comparison that is not decided."""


def compare(request: MemberRequest, kind: str) -> HttpResponse:
    form = _form(request, kind)
    comparisons = comparisons_of(organization=request.organization, board_filter=form.to_filter())
    with_pairs = [comparison for comparison in comparisons if comparison.pairs]
    return filtered_page(
        request,
        form,
        "analysis/compare.html",
        heading="Compare agents" if kind == BoardKind.BENCHMARK else "Compare litmus scores",
        parent=kind,
        comparisons=comparisons,
        answered=[
            (comparison, _launch_query(comparison, form.to_filter())) for comparison in with_pairs or comparisons
        ],
        shown=comparison_by_key(comparisons, request.GET.get("shown", "")),
        most=MOST_AGENTS,
        staged=staged_comparisons_of(organization=request.organization, comparisons=comparisons)
        if kind == BoardKind.BENCHMARK
        else [],
    )


def _launch_query(comparison: Comparison, board_filter: Any) -> str:
    """The query of a launch of as many other seeds in stages, where a benchmark of two agents is not decided; else empty.

    Seeds that are added to those seen would be exploratory, so the others are compared by themselves.
    """
    if comparison.is_decided or not isinstance(board_filter, TableFilter) or len(board_filter.agents) != 2:
        return ""
    seeds = [match.seed for match in comparison.matches]
    cells = list(dict.fromkeys(match.difficulty for match in comparison.matches))
    if not set(cells) <= set(DIFFICULTIES) or board_filter.generator != "published":
        return ""
    first, number = max(seeds) + 1, max(LEAST_SEEDS, math.ceil(len(seeds) / len(cells)))
    query = {
        "environment": comparison.environment,
        "difficulty": cells,
        "agent": board_filter.agents,
        "variant": board_filter.variant,
        "periods": "" if board_filter.periods == PERIODS else board_filter.periods,
        "seeds": f"{first}-{first + number - 1}",
        "stages": ", ".join(map(str, sensible_sizes(number, len(cells)))),
    }
    return urlencode(query, doseq=True)


def figure(request: MemberRequest, kind: str) -> JsonResponse:
    """The chart of one comparison."""
    board_filter, key = _form(request, kind).to_filter(), request.GET.get("shown", "")
    return JsonResponse(draw_comparison(request.organization, board_filter, run_url, key))


def pairs(request: MemberRequest, kind: str, form: str) -> HttpResponse:
    """The instances of every comparison, those that only one agent finished too."""
    return table_file(request, exports.comparison_pairs(_comparisons(request, kind)), form, "comparison")


def numbers(request: MemberRequest, kind: str, form: str) -> HttpResponse:
    """The statistics of every comparison."""
    return table_file(request, exports.comparison_numbers(_comparisons(request, kind)), form, "comparison-numbers")


def _comparisons(request: MemberRequest, kind: str) -> list[Comparison]:
    return comparisons_of(organization=request.organization, board_filter=_form(request, kind).to_filter())


def _form(request: MemberRequest, kind: str) -> FilterForm[Any]:
    return filter_form(request.organization, COMPARE_FORMS[kind], request.GET)
