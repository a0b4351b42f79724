"""Scores by release date of the model."""

from django.http import HttpResponse, JsonResponse
from django.shortcuts import render

from accounts.pages.requests import MemberRequest
from analysis import exports
from analysis.base.selectors import played_agents, played_lengths, styles_of_agents
from analysis.figures.trend import trend_figure
from analysis.forms import BenchmarkForm, offer_tags
from analysis.trends.filters import TrendForm
from analysis.trends.selectors import ColumnTrends, trends_of
from analysis.views.answers import file, run_url
from discussion.selectors.tags import offered_tags


def trends(request: MemberRequest) -> HttpResponse:
    form = _form(request)
    chosen = form.chosen()
    context = {
        "form": form,
        "filter": chosen,
        "tagged": offer_tags(form, offered_tags(request.organization)),
        "trends": trends_of(organization=request.organization, chosen=chosen),
    }
    response = render(request, "analysis/trends.html", context)
    if request.htmx:
        response["HX-Push-Url"] = f"{request.path}?{chosen.query()}".rstrip("?")
    return response


def figure(request: MemberRequest) -> JsonResponse:
    styles = styles_of_agents(organization=request.organization)
    return JsonResponse(trend_figure(_trends(request), styles, run_url))


def observations_csv(request: MemberRequest) -> HttpResponse:
    return file(exports.trends_csv(_trends(request)), "scores-over-time.csv", "text/csv")


def _trends(request: MemberRequest) -> list[ColumnTrends]:
    return trends_of(organization=request.organization, chosen=_form(request).chosen())


def _form(request: MemberRequest) -> BenchmarkForm:
    organization = request.organization
    return TrendForm(request.GET, played_agents(organization=organization), played_lengths(organization=organization))
