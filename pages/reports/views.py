"""Downloads of reports."""

from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.pages.downloads import Reader, text_download
from accounts.pages.requests import MemberRequest
from analysis.kinds import COMPARE_FILTERS, filter_form
from pages.reports.contents import comparison_report, experiment_report
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
def comparison(request: MemberRequest, kind: str) -> HttpResponseBase:
    """The report of the agents in the query string; the page to choose agents if there are fewer than two."""
    run_filter = filter_form(request.organization, COMPARE_FILTERS[kind], request.GET).to_filter()
    if len(run_filter.agents) < 2:
        return redirect(f"{reverse(run_filter.PAGE)}?{run_filter.query()}")
    report = comparison_report(request.organization, run_filter, request.user.shown_name)
    return send(request, report, "comparison-report.html")


def send(request: MemberRequest, report: Report, name: str, reader: Reader | None = None) -> HttpResponseBase:
    return text_download(request, name, "text/html", [page(report)], reader)
