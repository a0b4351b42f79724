"""Downloads of reports."""

from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.pages.downloads import Reader, text_download
from accounts.pages.requests import MemberRequest
from analysis.answers import ANSWERS
from analysis.forms import filter_form
from pages.reports.answers import answer_report
from pages.reports.contents import experiment_report
from pages.reports.parts import Report, page
from runs.selectors.experiments import experiment_or_404


@require_safe
def experiment(request: MemberRequest, experiment_id: int) -> HttpResponseBase:
    reported_experiment = experiment_or_404(organization=request.organization, experiment_id=experiment_id)
    return send(
        request,
        experiment_report(reported_experiment, request.user.shown_name),
        f"experiment-{reported_experiment.pk}-report.html",
    )


@require_safe
def answer(request: MemberRequest, name: str) -> HttpResponseBase:
    """The report of an answer; the page to choose agents if it is about named agents and there are fewer than two."""
    run_filter = filter_form(request.organization, ANSWERS[name].filter_class, request.GET).to_filter()
    if run_filter.OF_NAMED_AGENTS and len(run_filter.agents) < 2:
        return redirect(f"{reverse(f'analysis:{name}')}?{run_filter.query()}")
    return send(
        request,
        answer_report(ANSWERS[name], request.organization, run_filter, request.user.shown_name),
        f"{name}-report.html",
    )


def send(request: MemberRequest, report: Report, name: str, reader: Reader | None = None) -> HttpResponseBase:
    return text_download(request, name, "text/html", [page(report)], reader)
