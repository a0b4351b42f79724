"""Pages of personal and service tokens. The text of a new token is shown only once, in the answer that creates it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.forms import take_errors
from accounts.guards import owner_required
from accounts.pages.requests import MemberRequest
from api import selectors
from api.forms import ServiceTokenForm, TokenForm
from api.services import personal_token_create, service_token_create, token_revoke


@require_http_methods(["GET", "POST"])
@never_cache
def personal_page(request: MemberRequest) -> HttpResponse:
    form = TokenForm(request.POST if request.method == "POST" else None)
    made = _made(request, form, personal_token_create)
    return _page(request, "api/tokens.html", form, selectors.personal_tokens(user=request.user), made)


@owner_required
@require_http_methods(["GET", "POST"])
@never_cache
def organization_page(request: MemberRequest) -> HttpResponse:
    form = ServiceTokenForm(request.POST if request.method == "POST" else None)
    made = _made(request, form, service_token_create)
    rows = selectors.organization_tokens(organization=request.organization)
    return _page(request, "api/organization_tokens.html", form, rows, made)


@require_POST
def personal_revoke(request: MemberRequest, token_id: int) -> HttpResponse:
    token = selectors.personal_token_or_404(user=request.user, token_id=token_id)
    actor = next((m for m in request.memberships if m.organization_id == token.organization_id), request.membership)
    token_revoke(actor=actor, token=token)
    messages.success(request, f"Revoked “{token.name}”. Whatever used it is refused from now on.")
    return redirect("tokens")


@owner_required
@require_POST
def organization_revoke(request: MemberRequest, token_id: int) -> HttpResponse:
    token = selectors.organization_token_or_404(organization=request.organization, token_id=token_id)
    token_revoke(actor=request.membership, token=token)
    messages.success(request, f"Revoked “{token.name}”. Whatever used it is refused from now on.")
    return redirect("organization-tokens")


def _made(request: MemberRequest, form: TokenForm, create: Any) -> dict[str, Any]:
    """Template context with the new token and its text, if a valid form was sent."""
    if not form.is_valid():
        return {}
    values = {name: form.cleaned_data[name] for name in ("name", "scopes", "role") if name in form.cleaned_data}
    try:
        token, text = create(actor=request.membership, expires_at=form.expires_at(), **values)
    except ValidationError as error:
        take_errors(form, error)
        return {}
    return {"made": token, "text": text}


def _page(request: MemberRequest, template: str, form: TokenForm, rows: Any, made: dict[str, Any]) -> HttpResponse:
    fresh = type(form)() if made else form
    context = {"form": fresh, "tokens": rows, **made}
    return render(request, template, context, status=422 if form.errors else 200)
