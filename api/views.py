"""Pages for tokens, and for the documentation of the API. A new token is shown only in the answer that creates it."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.guards import owner_required, public
from accounts.models import Membership
from accounts.pages.requests import MemberRequest, submit
from api.forms import ServiceTokenForm, TokenForm
from api.models import ApiToken
from api.protocol.describing import description
from api.selectors import tokens
from api.services import personal_token_create, service_token_create, token_revoke


@public
@require_safe
def openapi(request: HttpRequest) -> JsonResponse:
    """The OpenAPI document. The document and its page are public."""
    return JsonResponse(description())


@public
@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    return render(request, "api/docs.html")


@require_http_methods(["GET", "POST"])
@never_cache
def personal_page(request: MemberRequest) -> HttpResponse:
    return _page(request, "api/tokens.html", TokenForm, personal_token_create, Q(user=request.user))


@owner_required
@require_http_methods(["GET", "POST"])
@never_cache
def organization_page(request: MemberRequest) -> HttpResponse:
    owner = Q(organization=request.organization)
    return _page(request, "api/organization_tokens.html", ServiceTokenForm, service_token_create, owner)


@require_POST
def personal_revoke(request: MemberRequest, token_id: int) -> HttpResponse:
    token = get_object_or_404(tokens(Q(user=request.user)), pk=token_id)
    actor = next((m for m in request.memberships if m.organization_id == token.organization_id), request.membership)
    return _revoked(request, token, actor, "api:tokens")


@owner_required
@require_POST
def organization_revoke(request: MemberRequest, token_id: int) -> HttpResponse:
    token = get_object_or_404(tokens(Q(organization=request.organization)), pk=token_id)
    return _revoked(request, token, request.membership, "api:organization-tokens")


def _revoked(request: MemberRequest, token: ApiToken, actor: Membership, page: str) -> HttpResponse:
    token_revoke(actor=actor, token=token)
    messages.success(request, f"Revoked “{token.name}”. Whatever used it is refused from now on.")
    return redirect(page)


def _page(
    request: MemberRequest,
    template: str,
    form_class: type[TokenForm],
    create: Callable[..., tuple[ApiToken, str]],
    owner: Q,
) -> HttpResponse:
    """A page of the owner's tokens, with a form for a new one. create: returns the new token and its text"""
    form = form_class(request.POST if request.method == "POST" else None)
    made = submit(form, create, actor=request.membership)
    context: dict[str, Any] = {"form": form, "tokens": tokens(owner)}
    if made:
        context |= {"form": form_class(), "made": made[0], "text": made[1]}
    return render(request, template, context, status=422 if form.errors else 200)
