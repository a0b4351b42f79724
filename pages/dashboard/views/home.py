from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.pages.requests import MemberRequest
from accounts.services.people import first_steps_dismiss, home_visit
from pages.dashboard.selectors import first_steps as steps
from pages.dashboard.selectors.home import home
from pages.dashboard.selectors.news import news


def home_page(request: MemberRequest) -> HttpResponse:
    context: dict[str, Any] = {"home": home(organization=request.organization)}
    if request.htmx:
        return render(request, "pages/dashboard/_home_live.html", context)
    context["since"] = home_visit(user=request.user)
    if not request.user.first_steps_done:
        context["steps"] = steps.first_steps(membership=request.membership)
    return render(request, "pages/dashboard/home.html", context)


@require_safe
def home_news(request: MemberRequest) -> HttpResponse:
    """The news since the person's last visit. It loads separately, since its queries are slow."""
    since = request.user.home_seen_before
    fresh_news = news(organization=request.organization, since=since)
    # If nothing is new, the latest news of any age is shown.
    is_old = bool(since) and not fresh_news
    return render(
        request,
        "pages/dashboard/_home_news.html",
        {
            "since": since,
            "news": fresh_news or news(organization=request.organization, since=None),
            "is_old": is_old,
        },
    )


@require_POST
def first_steps(request: MemberRequest) -> HttpResponse:
    first_steps_dismiss(user=request.user)
    return redirect("home")
