"""The chart of the spend page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_GET

from analysis.figures.spend import Day, spend_figure
from runs.selectors.spending import month_from, this_month
from runs.selectors.spent_on import days_spent
from runs.views.guards import typed

NANO = 1_000_000_000


@require_GET
def spend_days(request: HttpRequest) -> HttpResponse:
    month = month_from(typed(request.GET, "month"), this_month())
    days = days_spent(organization=request.organization, month=month)
    shown = [Day(row.day, row.calls, row.cost / NANO, row.waste / NANO) for row in days]
    return JsonResponse(spend_figure(shown))
