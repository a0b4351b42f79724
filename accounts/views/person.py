"""A person's account page."""

from __future__ import annotations

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from accounts.forms import PersonForm, take_errors
from accounts.guards import without_organization
from accounts.pages.requests import MemberRequest
from accounts.services import person_rename, person_sign_out_everywhere
from accounts.sign_in.browsers import browser_of


@without_organization
@require_http_methods(["GET", "POST"])
def account_page(request: MemberRequest) -> HttpResponse:
    initial = {"full_name": request.user.get_full_name()}
    form = PersonForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid():
        try:
            person_rename(user=request.user, full_name=form.cleaned_data["full_name"])
        except ValidationError as error:
            take_errors(form, error)
        else:
            messages.success(request, "Saved your name.")
            return redirect("account")
    factors = set(Authenticator.objects.filter(user=request.user).values_list("type", flat=True))
    context = {
        "form": form,
        "has_two_factor": Authenticator.Type.TOTP in factors,
        "has_recovery_codes": Authenticator.Type.RECOVERY_CODES in factors,
        "sessions": _sessions(request),
    }
    return render(request, "accounts/account.html", context, status=422 if form.is_bound else 200)


@without_organization
@require_POST
def sign_out_everywhere(request: MemberRequest) -> HttpResponse:
    """End every session except this one, which gets a new key."""
    person_sign_out_everywhere(user=request.user)
    update_session_auth_hash(request, request.user)
    UserSession.objects.filter(user=request.user).delete()
    UserSession.objects.create_from_request(request)
    messages.success(request, "Every other browser was signed out.")
    return redirect("account")


def _sessions(request: MemberRequest) -> list[UserSession]:
    """Valid sessions, newest first."""
    rows = UserSession.objects.purge_and_list(request.user)
    for row in rows:
        row.browser = browser_of(row.user_agent)
    return sorted(rows, key=lambda row: row.created_at, reverse=True)
