"""Two to four agents compared over the instances that they have in common."""

from typing import Any

from django.http import HttpResponse, JsonResponse
from django.shortcuts import render

from accounts.pages.requests import MemberRequest
from analysis import exports
from analysis.base.selectors import played_agents, played_lengths, styles_of_agents
from analysis.comparing.comparison import MOST_AGENTS, Comparison
from analysis.comparing.filters import CompareForm
from analysis.comparing.selectors import comparisons_of
from analysis.figures.dumbbell import NO_PAIRS, dumbbell_figure
from analysis.figures.theme import empty_figure
from analysis.forms import offer_tags
from analysis.views.answers import file, run_url
from discussion.selectors.tags import offered_tags


def compare(request: MemberRequest) -> HttpResponse:
    form = _form(request)
    chosen = form.chosen()
    found = comparisons_of(organization=request.organization, chosen=chosen)
    context: dict[str, Any] = {
        "form": form,
        "filter": chosen,
        "tagged": offer_tags(form, offered_tags(request.organization)),
        "comparisons": found,
        "answered": [comparison for comparison in found if comparison.pairs],
        "shown": _shown(request, found),
        "most": MOST_AGENTS,
    }
    response = render(request, "analysis/compare.html", context)
    if request.htmx:
        response["HX-Push-Url"] = f"{request.path}?{chosen.query()}".rstrip("?")
    return response


def figure(request: MemberRequest) -> JsonResponse:
    """The chart of one comparison."""
    shown = _shown(request, comparisons_of(organization=request.organization, chosen=_form(request).chosen()))
    if shown is None:
        return JsonResponse(empty_figure(NO_PAIRS))
    return JsonResponse(dumbbell_figure(shown, styles_of_agents(organization=request.organization), run_url))


def pairs_csv(request: MemberRequest) -> HttpResponse:
    """The instances of every comparison, those that only one agent finished too."""
    found = comparisons_of(organization=request.organization, chosen=_form(request).chosen())
    return file(exports.comparisons_csv(found), "comparison.csv", "text/csv")


def _form(request: MemberRequest) -> CompareForm:
    organization = request.organization
    return CompareForm(request.GET, played_agents(organization=organization), played_lengths(organization=organization))


def _shown(request: MemberRequest, found: list[Comparison]) -> Comparison | None:
    """The comparison that the address names, or else the first one with an instance in common."""
    with_pairs = [comparison for comparison in found if comparison.pairs]
    named = (comparison for comparison in with_pairs if comparison.key == request.GET.get("shown"))
    return next(named, with_pairs[0] if with_pairs else None)
