"""Pages of an organization: its name, its members, invitations to it, and its audit log."""

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts import hooks, selectors
from accounts.forms import InvitationForm, OrganizationForm
from accounts.guards import owner_required
from accounts.middleware import SESSION_KEY
from accounts.models import Action, Invitation, Role
from accounts.outbox import message_queue
from accounts.pages.requests import MemberRequest, errors_shown, posted, submit
from accounts.services import organizations, people

DAYS = ((0, "Any time"), (1, "Last day"), (7, "Last 7 days"), (30, "Last 30 days"))


@require_http_methods(["GET", "POST"])
def organization_new(request: MemberRequest) -> HttpResponse:
    form = OrganizationForm(posted(request))
    if organization := submit(form, organizations.organization_create, owner=request.user):
        request.session[SESSION_KEY] = organization.pk
        messages.success(request, f"Made {organization.name}. You are its owner; everything you see now belongs to it.")
        return redirect("accounts:organization")
    return render(request, "accounts/organization_new.html", {"form": form}, status=422 if form.is_bound else 200)


@require_POST
def organization_switch(request: MemberRequest) -> HttpResponse:
    """Make another organization current. Redirects to the home page: the open page belongs to the previous one."""
    organization_id = request.POST.get("organization", "")
    membership = next((m for m in request.memberships if str(m.organization_id) == organization_id), None)
    if membership is None:
        raise Http404
    request.session[SESSION_KEY] = membership.organization_id
    return redirect("home")


@owner_required
@require_http_methods(["GET", "POST"])
def organization_settings(request: MemberRequest) -> HttpResponse:
    form = OrganizationForm(posted(request), initial={"name": request.organization.name})
    submit(form, organizations.organization_rename, actor=request.membership)
    if form.is_valid():
        messages.success(request, "Saved the name.")
        return redirect("accounts:organization-settings")
    return _settings_page(request, form)


@owner_required
@require_POST
def organization_remove(request: MemberRequest) -> HttpResponse:
    name = request.organization.name
    try:
        organizations.organization_delete(actor=request.membership, typed_name=request.POST.get("name", ""))
    except ValidationError as error:
        return _settings_page(request, OrganizationForm(initial={"name": name}), " ".join(error.messages))
    request.session.pop(SESSION_KEY, None)
    messages.success(request, f"Deleted {name} and everything in it.")
    return redirect("home")


def _settings_page(request: MemberRequest, form: OrganizationForm, delete_error: str = "") -> HttpResponse:
    context = {"form": form, "delete_error": delete_error, "is_only": len(request.memberships) == 1}
    return render(
        request, "accounts/organization_settings.html", context, status=422 if form.is_bound or delete_error else 200
    )


@owner_required
@require_GET
def audit_log(request: MemberRequest) -> HttpResponse:
    action, actor = request.GET.get("action", ""), request.GET.get("actor", "")
    chosen_days = {str(days): days for days, _ in DAYS}.get(request.GET.get("days", ""), 0)
    rows = selectors.audit_entries(organization=request.organization, action=action, actor=actor, days=chosen_days)
    context = {
        "page": Paginator(rows, 50).get_page(request.GET.get("page")),
        "actions": Action.choices,
        "actors": [(str(pk), name) for pk, name in selectors.audit_actors(request.organization)],
        "days_choices": DAYS,
        "action": action,
        "actor": actor,
        "days": chosen_days,
        "is_filtered": bool(action or actor or chosen_days),
    }
    return render(request, "accounts/audit.html", context)


@require_GET
def members_page(request: MemberRequest) -> HttpResponse:
    return _members_page(request, InvitationForm())


def _members_page(
    request: MemberRequest, form: InvitationForm, new_invitation: Invitation | None = None, link: str = ""
) -> HttpResponse:
    rows = selectors.members(request.organization)
    manages = request.membership.may_manage
    tokens = selectors.names_by_member(hooks.tokens_known_to_members, request.organization) if manages else {}
    made_by = selectors.names_by_member(hooks.made_by_members, request.organization)
    for row in rows:
        row.tokens, row.made = tokens.get(row.user_id, []), made_by.get(row.user_id, [])  # type: ignore[attr-defined]
    context = {
        "members": rows,
        "own_tokens": tokens.get(request.user.pk, []),
        "own_made": made_by.get(request.user.pk, []),
        "roles": Role.choices,
        "is_last_owner": manages and sum(row.role == Role.OWNER for row in rows) == 1,
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
    with errors_shown(request):
        revoked = organizations.member_set_role(actor=request.membership, membership=membership, role=role)
        role_text = f"{'a' if role == Role.VIEWER else 'an'} {Role(role).label.lower()}"
        messages.success(request, f"{membership.user.shown_name} is now {role_text}.{_also(revoked)}")
    return redirect("accounts:organization")


@owner_required
@require_POST
def member_end(request: MemberRequest, membership_id: int) -> HttpResponse:
    membership = selectors.member_or_404(organization=request.organization, membership_id=membership_id)
    revoked = organizations.member_remove(actor=request.membership, membership=membership)
    messages.success(request, f"{membership.user.shown_name} is no longer a member.{_also(revoked)}")
    return redirect("accounts:organization")


@require_POST
def organization_leave(request: MemberRequest) -> HttpResponse:
    name = request.organization.name
    with errors_shown(request):
        organizations.member_leave(membership=request.membership)
        request.session.pop(SESSION_KEY, None)
        messages.success(request, f"You left {name}.")
        return redirect("home" if len(request.memberships) > 1 else "accounts:account")
    return redirect("accounts:organization")


@owner_required
@require_POST
@never_cache
def invitation_new(request: MemberRequest) -> HttpResponse:
    """Invite a person. If the site sends no mail, the link is shown once, in this response."""
    form = InvitationForm(request.POST)
    return submit(form, _invite, request=request) or _members_page(request, form)


@owner_required
@require_POST
@never_cache
def invitation_renew(request: MemberRequest, invitation_id: int) -> HttpResponse:
    """Replace the link; the new one lasts seven days."""
    old = selectors.invitation_or_404(organization=request.organization, invitation_id=invitation_id)
    with errors_shown(request):
        return _invite(request, email=old.email, role=old.role)
    return redirect("accounts:organization")


@owner_required
@require_POST
def invitation_end(request: MemberRequest, invitation_id: int) -> HttpResponse:
    invitation = selectors.invitation_or_404(organization=request.organization, invitation_id=invitation_id)
    people.invitation_revoke(actor=request.membership, invitation=invitation)
    messages.success(request, f"Took back the invitation of {invitation.email}. Its link is dead.")
    return redirect("accounts:organization")


def _invite(request: MemberRequest, email: str, role: str) -> HttpResponse:
    """Create an invitation. If the site sends mail, only the mail has the link, so following it proves the address."""
    mailed = settings.MAIL_WORKS
    invitation, token = people.invitation_create(actor=request.membership, email=email, role=role, mailed=mailed)
    link = request.build_absolute_uri(reverse("accounts:invitation", args=[token]))
    if mailed:
        context = {"invitation": invitation, "link": link, "inviter": request.user}
        message_queue(
            to=invitation.email,
            subject=f"Invitation to {request.organization.name} on EconEvals",
            text=render_to_string("accounts/invitation_mail.txt", context),
        )
    return _members_page(request, InvitationForm(), new_invitation=invitation, link="" if mailed else link)


def _also(revoked: list[str]) -> str:
    if not revoked:
        return ""
    return f" Revoked, since they have seen {'it' if len(revoked) == 1 else 'them'}: {', '.join(revoked)}."
