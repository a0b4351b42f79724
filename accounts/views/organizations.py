"""Pages that make, switch, rename and delete an organization, and its audit log."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts import selectors
from accounts.forms import OrganizationForm
from accounts.guards import owner_required
from accounts.middleware import SESSION_KEY
from accounts.models import Action
from accounts.pages.form_pages import submit
from accounts.pages.requests import MemberRequest
from accounts.services.organizations import organization_create, organization_delete, organization_rename

DAYS = ((0, "Any time"), (1, "Last day"), (7, "Last 7 days"), (30, "Last 30 days"))


@require_http_methods(["GET", "POST"])
def organization_new(request: MemberRequest) -> HttpResponse:
    form = OrganizationForm(request.POST if request.method == "POST" else None)
    if organization := submit(form, organization_create, owner=request.user):
        request.session[SESSION_KEY] = organization.pk
        messages.success(request, f"Made {organization.name}. You are its owner; everything you see now belongs to it.")
        return redirect("accounts:organization")
    return render(request, "accounts/organization_new.html", {"form": form}, status=422 if form.is_bound else 200)


@require_POST
def organization_switch(request: MemberRequest) -> HttpResponse:
    """Redirect to the home page, since the open page belongs to the other organization."""
    organization_id = request.POST.get("organization", "")
    membership = next((m for m in request.memberships if str(m.organization_id) == organization_id), None)
    if membership is None:
        raise Http404
    request.session[SESSION_KEY] = membership.organization_id
    return redirect("home")


@owner_required
@require_http_methods(["GET", "POST"])
def organization_settings(request: MemberRequest) -> HttpResponse:
    initial = {"name": request.organization.name}
    form = OrganizationForm(request.POST if request.method == "POST" else None, initial=initial)
    submit(form, organization_rename, actor=request.membership)
    if form.is_valid():
        messages.success(request, "Saved the name.")
        return redirect("accounts:organization-settings")
    return _settings_page(request, form)


@owner_required
@require_POST
def organization_remove(request: MemberRequest) -> HttpResponse:
    name = request.organization.name
    try:
        organization_delete(actor=request.membership, typed_name=request.POST.get("name", ""))
    except ValidationError as error:
        form = OrganizationForm(initial={"name": name})
        return _settings_page(request, form, delete_error=" ".join(error.messages), status=422)
    request.session.pop(SESSION_KEY, None)
    messages.success(request, f"Deleted {name} and everything in it.")
    return redirect("home")


def _settings_page(
    request: MemberRequest, form: OrganizationForm, delete_error: str = "", status: int = 200
) -> HttpResponse:
    context = {"form": form, "delete_error": delete_error, "is_only": len(request.memberships) == 1}
    status = 422 if form.is_bound else status
    return render(request, "accounts/organization_settings.html", context, status=status)


@owner_required
@require_GET
def audit_log(request: MemberRequest) -> HttpResponse:
    action, actor = request.GET.get("action", ""), request.GET.get("actor", "")
    days = request.GET.get("days", "")
    chosen_days = int(days) if days in {"1", "7", "30"} else 0
    rows = selectors.audit_entries(organization=request.organization, action=action, actor=actor, days=chosen_days)
    page = Paginator(rows, 50).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "actions": Action.choices,
        "actors": [(str(pk), name) for pk, name in selectors.audit_actors(request.organization)],
        "days_choices": DAYS,
        "action": action,
        "actor": actor,
        "days": chosen_days,
        "is_filtered": bool(action or actor or chosen_days),
    }
    return render(request, "accounts/audit.html", context)
