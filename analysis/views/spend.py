"""The chart of the spend page."""

from django.http import HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from accounts.pages.requests import MemberRequest, typed
from analysis.figures.spend import spend_figure
from workspace.spending.selectors.breakdown import days_spent
from workspace.spending.selectors.months import month_from


@require_safe
def spend_days(request: MemberRequest) -> HttpResponse:
    month = month_from(typed(request.GET, "month"))
    return JsonResponse(spend_figure(days_spent(organization=request.organization, month=month)))
