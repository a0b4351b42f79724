"""Downloads of reports."""

from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.pages.downloads import Reader, text_download
from accounts.pages.requests import MemberRequest
from analysis.comparing.filters import COMPARE_FORMS
from analysis.kinds import filter_form
from reports.comparison import comparison_report
from reports.experiment import experiment_report
from reports.page import page
from reports.record import Report
from runs.selectors.experiments import experiment_or_404


@require_safe
def experiment(request: MemberRequest, experiment_id: int) -> HttpResponseBase:
    found = experiment_or_404(organization=request.organization, experiment_id=experiment_id)
    return send(request, experiment_report(found, request.user.shown_name), f"experiment-{found.pk}-report.html")


@require_safe
def comparison(request: MemberRequest, kind: str) -> HttpResponseBase:
    """Of the agents that the address names; without two of them, the page that asks for them."""
    chosen = filter_form(request.organization, COMPARE_FORMS[kind], request.GET).chosen()
    if len(chosen.agents) < 2:
        return redirect(f"{reverse(chosen.PAGE)}?{chosen.query()}")
    report = comparison_report(request.organization, chosen, request.user.shown_name)
    return send(request, report, "comparison-report.html")


def send(request: MemberRequest, report: Report, name: str, reader: Reader | None = None) -> HttpResponseBase:
    return text_download(request, name, "text/html", [page(report)], reader)
