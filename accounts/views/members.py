"""Members of the current organization, and invitations to it."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts import selectors
from accounts.forms import InvitationForm, take_errors
from accounts.guards import owner_required
from accounts.mail import invitation_link, mail_invitation
from accounts.middleware import SESSION_KEY
from accounts.models import Invitation, Role
from accounts.services import (
    invitation_create,
    invitation_revoke,
    member_leave,
    member_remove,
    member_set_role,
)


@require_GET
def members_page(request: HttpRequest) -> HttpResponse:
    return _page(request, InvitationForm())


def _page(
    request: HttpRequest, form: InvitationForm, made: Invitation | None = None, link: str = "", mailed: bool = False
) -> HttpResponse:
    rows = selectors.members(request.organization)
    owners = sum(row.role == Role.OWNER for row in rows)
    manages = request.membership.may_manage
    context = {
        "members": rows,
        "roles": Role.choices,
        "is_last_owner": manages and owners == 1,
        "form": form,
        "invitations": selectors.waiting_invitations(request.organization) if manages else [],
        "made": made,
        "link": link,
        "mailed": mailed,
    }
    return render(request, "accounts/members.html", context, status=422 if form.errors else 200)


@owner_required
@require_POST
def member_role(request: HttpRequest, membership_id: int) -> HttpResponse:
    membership = selectors.member_or_404(organization=request.organization, membership_id=membership_id)
    role = request.POST.get("role", "")
    try:
        member_set_role(actor=request.membership, membership=membership, role=role)
    except ValidationError as error:
        messages.error(request, error.messages[0])
    else:
        messages.success(request, f"{membership.user.shown_name} is now {_article(role)}.")
    return redirect("organization")


@owner_required
@require_POST
def member_end(request: HttpRequest, membership_id: int) -> HttpResponse:
    membership = selectors.member_or_404(organization=request.organization, membership_id=membership_id)
    member_remove(actor=request.membership, membership=membership)
    messages.success(request, f"{membership.user.shown_name} is no member any more.")
    return redirect("organization")


@require_POST
def organization_leave(request: HttpRequest) -> HttpResponse:
    name = request.organization.name
    try:
        member_leave(membership=request.membership)
    except ValidationError as error:
        messages.error(request, error.messages[0])
        return redirect("organization")
    request.session.pop(SESSION_KEY, None)
    messages.success(request, f"You left {name}.")
    return redirect("home" if len(request.memberships) > 1 else "account")


@owner_required
@require_POST
@never_cache
def invitation_new(request: HttpRequest) -> HttpResponse:
    """The link is on the answer to this request and nowhere else."""
    form = InvitationForm(request.POST)
    if form.is_valid():
        try:
            return _made(request, **form.cleaned_data)
        except ValidationError as error:
            take_errors(form, error)
    return _page(request, form)


@owner_required
@require_POST
@never_cache
def invitation_renew(request: HttpRequest, invitation_id: int) -> HttpResponse:
    """A new link and seven new days; the old link ends."""
    old = selectors.invitation_or_404(organization=request.organization, invitation_id=invitation_id)
    try:
        return _made(request, email=old.email, role=old.role)
    except ValidationError as error:
        messages.error(request, error.messages[0])
        return redirect("organization")


@owner_required
@require_POST
def invitation_end(request: HttpRequest, invitation_id: int) -> HttpResponse:
    invitation = selectors.invitation_or_404(organization=request.organization, invitation_id=invitation_id)
    invitation_revoke(actor=request.membership, invitation=invitation)
    messages.success(request, f"Took back the invitation of {invitation.email}. Its link is dead.")
    return redirect("organization")


def _made(request: HttpRequest, email: str, role: str) -> HttpResponse:
    invitation, token = invitation_create(actor=request.membership, email=email, role=role)
    link = invitation_link(request, token)
    mailed = mail_invitation(invitation=invitation, link=link, inviter=request.user)
    return _page(request, InvitationForm(), made=invitation, link=link, mailed=mailed)


def _article(role: str) -> str:
    return f"{'a' if role == Role.VIEWER else 'an'} {Role(role).label.lower()}"
