"""Middleware: required log-in, the organization of a request, cache headers, and a limit of processor time a person."""

import time
from collections.abc import Callable
from typing import Any

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin

from accounts.models import Membership, User
from accounts.pages.requests import SiteRequest
from accounts.views.errors import log_in_first, too_many
from infrastructure.limits import COMPUTING_SECONDS, computing_counted, computing_wait

SESSION_KEY = "organization"
NOWHERE = "You are not a member of any organization. Ask an owner to invite you."


class PrivateAnswers(MiddlewareMixin):
    """Forbids browsers and proxies to store responses, unless the view sets Cache-Control. Static files are exempt."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        response.headers.setdefault("Cache-Control", "private, no-store")
        return response


TOO_MUCH = (
    f"Your pages took more than {COMPUTING_SECONDS} seconds of the site's processor within a minute. Wait until the minute "
    "is over, so that others can work too."
)


def computing_limit(get_response: Callable[[SiteRequest], HttpResponse]) -> Callable[[SiteRequest], HttpResponse]:
    """Middleware that counts the processor seconds of each request, and refuses people who used too many.

    Requests with an API token get their payer, and the refusal, where the token is checked (`api.auth`).
    """

    def respond(request: SiteRequest) -> HttpResponse:
        request.payer = None
        if request.user.is_authenticated:
            request.payer = payer_of(request.user)
            if wait := computing_wait(request.payer):
                return too_many(TOO_MUCH, wait)
        began = time.thread_time()
        try:
            return get_response(request)
        finally:
            if request.payer is not None:
                computing_counted(request.payer, time.thread_time() - began)

    return respond


def payer_of(user: User) -> str:
    """Return the key under which a person's processor seconds are counted, both in browsers and with their tokens."""
    return f"user:{user.pk}"


class LogInFirst(LoginRequiredMiddleware):
    """Redirects people without a session to the log-in page, which leads back to the page where they were."""

    def handle_no_permission(  # type: ignore[override]
        self, request: HttpRequest, view_func: Callable[..., Any]
    ) -> HttpResponse:
        return log_in_first(request)


class OrganizationMiddleware(MiddlewareMixin):
    """Sets `request.membership`, `request.organization` and `request.memberships` (all of the person's, by name).

    Memberships are read on every request, so a removed member loses access with the next request. The session stores
    the id of the current organization. If that id is missing or invalid, the oldest membership is used.
    """

    def process_request(self, request: SiteRequest) -> None:
        request.membership = request.organization = None
        request.memberships = []
        if request.user.is_authenticated:
            memberships = list(Membership.objects.select_related("organization").filter(user=request.user))
            if memberships:
                organization_id = request.session.get(SESSION_KEY)
                oldest = min(memberships, key=lambda m: m.pk)
                membership = next((m for m in memberships if m.organization_id == organization_id), oldest)
                membership.user = request.user
                request.membership, request.organization = membership, membership.organization
                request.memberships = sorted(memberships, key=lambda m: m.organization.name.lower())

    def process_view(self, request: SiteRequest, view: Callable[..., Any], args: Any, kwargs: Any) -> None:
        """Raise PermissionDenied if a person without a membership opens a page that is not about their own account."""
        is_account_page = view.__module__.startswith("allauth.") or not getattr(view, "organization_required", True)
        if request.user.is_authenticated and request.membership is None and not is_account_page:
            raise PermissionDenied(NOWHERE)
