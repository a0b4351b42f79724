"""Two to four agents compared over the instances that they have in common."""

from typing import Any

from django.http import HttpResponse, JsonResponse

from accounts.pages.requests import MemberRequest
from analysis import exports
from analysis.base.selectors import styles_of_agents
from analysis.comparing.comparison import MOST_AGENTS, Comparison
from analysis.comparing.filters import COMPARE_FORMS
from analysis.comparing.selectors import comparisons_of, staged_of_both
from analysis.figures.dumbbell import NO_PAIRS, dumbbell_figure
from analysis.figures.theme import empty_figure
from analysis.forms import FilterForm
from analysis.kinds import filter_form
from analysis.models import BoardKind
from analysis.views.answers import filtered_page, run_url, table_file


def compare(request: MemberRequest, kind: str) -> HttpResponse:
    form = _form(request, kind)
    found = comparisons_of(organization=request.organization, chosen=form.chosen())
    return filtered_page(
        request,
        form,
        "analysis/compare.html",
        heading="Compare agents" if kind == BoardKind.BENCHMARK else "Compare litmus scores",
        parent=kind,
        comparisons=found,
        answered=[comparison for comparison in found if comparison.pairs],
        shown=_shown(request, found),
        most=MOST_AGENTS,
        staged=staged_of_both(organization=request.organization, found=found) if kind == BoardKind.BENCHMARK else [],
    )


def figure(request: MemberRequest, kind: str) -> JsonResponse:
    """The chart of one comparison."""
    shown = _shown(request, _comparisons(request, kind))
    if shown is None:
        return JsonResponse(empty_figure(NO_PAIRS))
    return JsonResponse(dumbbell_figure(shown, styles_of_agents(organization=request.organization), run_url))


def pairs(request: MemberRequest, kind: str, form: str) -> HttpResponse:
    """The instances of every comparison, those that only one agent finished too."""
    return table_file(exports.comparison_pairs(_comparisons(request, kind)), form, "comparison")


def numbers(request: MemberRequest, kind: str, form: str) -> HttpResponse:
    """The statistics of every comparison."""
    return table_file(exports.comparison_numbers(_comparisons(request, kind)), form, "comparison-numbers")


def _comparisons(request: MemberRequest, kind: str) -> list[Comparison]:
    return comparisons_of(organization=request.organization, chosen=_form(request, kind).chosen())


def _form(request: MemberRequest, kind: str) -> FilterForm[Any]:
    return filter_form(request.organization, COMPARE_FORMS[kind], request.GET)


def _shown(request: MemberRequest, found: list[Comparison]) -> Comparison | None:
    """The comparison that the address names, or else the first one with an instance in common."""
    with_pairs = [comparison for comparison in found if comparison.pairs]
    named = (comparison for comparison in with_pairs if comparison.key == request.GET.get("shown"))
    return next(named, with_pairs[0] if with_pairs else None)
