"""Members of the current organization, and invitations to it."""

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts import selectors
from accounts.forms import InvitationForm
from accounts.guards import owner_required
from accounts.middleware import SESSION_KEY
from accounts.models import Invitation, Role
from accounts.outbox import message_queue
from accounts.pages.form_pages import submit
from accounts.pages.requests import MemberRequest
from accounts.services.invitations import invitation_create, invitation_revoke
from accounts.services.members import member_leave, member_remove, member_set_role


@require_GET
def members_page(request: MemberRequest) -> HttpResponse:
    return _page(request, InvitationForm())


def _page(
    request: MemberRequest, form: InvitationForm, new_invitation: Invitation | None = None, link: str = ""
) -> HttpResponse:
    rows = selectors.members(request.organization)
    owners = sum(row.role == Role.OWNER for row in rows)
    manages = request.membership.may_manage
    tokens = selectors.tokens_known_to(request.organization) if manages else {}
    made_by = selectors.made_by(request.organization)
    for row in rows:
        row.tokens, row.made = tokens.get(row.user_id, []), made_by.get(row.user_id, [])  # type: ignore[attr-defined]
    context = {
        "members": rows,
        "own_tokens": tokens.get(request.user.pk, []),
        "own_made": made_by.get(request.user.pk, []),
        "roles": Role.choices,
        "is_last_owner": manages and owners == 1,
        "form": form,
        "invitations": selectors.waiting_invitations(request.organization) if manages else [],
        "new_invitation": new_invitation,
        "link": link,
    }
    return render(request, "accounts/members.html", context, status=422 if form.errors else 200)


@owner_required
@require_POST
def member_role(request: MemberRequest, membership_id: int) -> HttpResponse:
    membership = selectors.member_or_404(organization=request.organization, membership_id=membership_id)
    role = request.POST.get("role", "")
    try:
        revoked = member_set_role(actor=request.membership, membership=membership, role=role)
    except ValidationError as error:
        messages.error(request, error.messages[0])
    else:
        role_text = f"{'a' if role == Role.VIEWER else 'an'} {Role(role).label.lower()}"
        messages.success(request, f"{membership.user.shown_name} is now {role_text}.{_also(revoked)}")
    return redirect("accounts:organization")


@owner_required
@require_POST
def member_end(request: MemberRequest, membership_id: int) -> HttpResponse:
    membership = selectors.member_or_404(organization=request.organization, membership_id=membership_id)
    revoked = member_remove(actor=request.membership, membership=membership)
    messages.success(request, f"{membership.user.shown_name} is no longer a member.{_also(revoked)}")
    return redirect("accounts:organization")


@require_POST
def organization_leave(request: MemberRequest) -> HttpResponse:
    name = request.organization.name
    try:
        member_leave(membership=request.membership)
    except ValidationError as error:
        messages.error(request, error.messages[0])
        return redirect("accounts:organization")
    request.session.pop(SESSION_KEY, None)
    messages.success(request, f"You left {name}.")
    return redirect("home" if len(request.memberships) > 1 else "accounts:account")


@owner_required
@require_POST
@never_cache
def invitation_new(request: MemberRequest) -> HttpResponse:
    """Without mail the link is shown once, in this response."""
    form = InvitationForm(request.POST)
    return submit(form, _invite, request=request) or _page(request, form)


@owner_required
@require_POST
@never_cache
def invitation_renew(request: MemberRequest, invitation_id: int) -> HttpResponse:
    """Replace the link; the new one lasts seven days."""
    old = selectors.invitation_or_404(organization=request.organization, invitation_id=invitation_id)
    try:
        return _invite(request, email=old.email, role=old.role)
    except ValidationError as error:
        messages.error(request, error.messages[0])
        return redirect("accounts:organization")


@owner_required
@require_POST
def invitation_end(request: MemberRequest, invitation_id: int) -> HttpResponse:
    invitation = selectors.invitation_or_404(organization=request.organization, invitation_id=invitation_id)
    invitation_revoke(actor=request.membership, invitation=invitation)
    messages.success(request, f"Took back the invitation of {invitation.email}. Its link is dead.")
    return redirect("accounts:organization")


def _invite(request: MemberRequest, email: str, role: str) -> HttpResponse:
    """If the site sends mail, the link is in the mail only, so that following it proves the address."""
    mailed = settings.MAIL_WORKS
    invitation, token = invitation_create(actor=request.membership, email=email, role=role, mailed=mailed)
    link = request.build_absolute_uri(reverse("accounts:invitation", args=[token]))
    if mailed:
        context = {"invitation": invitation, "link": link, "inviter": request.user}
        text = render_to_string("accounts/invitation_mail.txt", context)
        message_queue(to=invitation.email, subject=f"Invitation to {request.organization.name} on EconEvals", text=text)
    return _page(request, InvitationForm(), new_invitation=invitation, link="" if mailed else link)


def _also(revoked: list[str]) -> str:
    if not revoked:
        return ""
    return f" Revoked, since they have seen {'it' if len(revoked) == 1 else 'them'}: {', '.join(revoked)}."
