"""Pages of endpoints: keys, addresses, limits and actions on their runs."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from accounts.guards import editor_required
from accounts.models import Endpoint
from accounts.pages.requests import MemberRequest, form_page, submit
from accounts.services.endpoints import (
    endpoint_create,
    endpoint_delete,
    endpoint_move,
    endpoint_set_headers,
    endpoint_set_key,
)
from infrastructure.text.formats import counted
from pages.dashboard.forms.agents import AddressForm, EndpointForm, HeadersForm, KeyForm, LimitsForm
from pages.dashboard.selectors.agents import endpoint_or_404
from pages.dashboard.selectors.keys import key_rows, paused_for_key
from pages.dashboard.views.run_lists import report_action
from runs.services.control import endpoint_control
from runs.services.endpoints import endpoint_set_limits


def endpoints(request: MemberRequest) -> HttpResponse:
    """The list of endpoints as a page fragment, for live refreshes."""
    if not request.htmx:
        return redirect("dashboard:agents")
    return render(
        request, "pages/dashboard/_endpoints.html", {"endpoints": key_rows(organization=request.organization)}
    )


def _to_endpoint(endpoint: Endpoint) -> HttpResponseRedirect:
    return HttpResponseRedirect(f"{reverse('dashboard:agents')}#endpoint-{endpoint.pk}")


@editor_required
@require_http_methods(["GET", "POST"])
def endpoint_new(request: MemberRequest) -> HttpResponse:
    form = EndpointForm(request.POST or None)
    if submit(form, endpoint_create, organization=request.organization, actor=request.user):
        name = form.cleaned_data["name"]
        messages.success(request, f"Added {name}. Add an agent that uses it, then test the connection.")
        return redirect("dashboard:agents")
    lead = "The address of a provider or of your own server. Its agents share the key."
    return form_page(request, form, "Add an endpoint", lead, "Add endpoint")


@editor_required
@require_http_methods(["GET", "POST"])
def endpoint_key(request: MemberRequest, endpoint_id: int) -> HttpResponse:
    endpoint = endpoint_or_404(organization=request.organization, endpoint_id=endpoint_id)
    form = KeyForm(request.POST if request.method == "POST" else None)
    submit(form, endpoint_set_key, endpoint=endpoint, actor=request.user)
    if form.is_valid():
        changed = f"The key of {endpoint.name} is {'stored' if endpoint.has_key else 'removed'}."
        if endpoint.has_key and (waiting := paused_for_key(endpoint)):
            runs = counted(waiting, "run is,runs are")
            changed += f" {runs} paused because of it. Choose Resume below to continue."
        messages.success(request, changed)
        return _to_endpoint(endpoint)
    now = f"The stored key ends in {endpoint.key_last_four}." if endpoint.key_last_four else "No key is stored yet."
    return form_page(request, form, f"Key of {endpoint.name}", now, "Save key")


@editor_required
@require_http_methods(["GET", "POST"])
def endpoint_headers(request: MemberRequest, endpoint_id: int) -> HttpResponse:
    endpoint = endpoint_or_404(organization=request.organization, endpoint_id=endpoint_id)
    form = HeadersForm(request.POST if request.method == "POST" else None)
    submit(form, endpoint_set_headers, endpoint=endpoint, actor=request.user)
    if form.is_valid():
        changed = "stored" if endpoint.header_names else "removed"
        messages.success(request, f"The extra headers of {endpoint.name} are {changed}.")
        return _to_endpoint(endpoint)
    names = ", ".join(endpoint.header_names)
    now = f"Stored: {names}. Their values are never shown." if names else "Sent with every request, beside the key."
    return form_page(request, form, f"Extra headers of {endpoint.name}", now, "Save headers")


@editor_required
@require_http_methods(["GET", "POST"])
def endpoint_address(request: MemberRequest, endpoint_id: int) -> HttpResponse:
    endpoint = endpoint_or_404(organization=request.organization, endpoint_id=endpoint_id)
    form = AddressForm(request.POST if request.method == "POST" else None, initial={"base_url": endpoint.base_url})
    submit(form, endpoint_move, endpoint=endpoint, actor=request.user)
    if form.is_valid():
        messages.success(request, f"The new address of {endpoint.name} applies from the next call.")
        return _to_endpoint(endpoint)
    lead = "The address of its agents. Enter the key and the extra headers again for a new address."
    return form_page(request, form, f"Address of {endpoint.name}", lead, "Save address")


@editor_required
@require_http_methods(["GET", "POST"])
def endpoint_limits(request: MemberRequest, endpoint_id: int) -> HttpResponse:
    endpoint = endpoint_or_404(organization=request.organization, endpoint_id=endpoint_id)
    initial = {name: getattr(endpoint, name) for name in LimitsForm.base_fields}
    form = LimitsForm(request.POST if request.method == "POST" else None, initial=initial)
    submit(form, endpoint_set_limits, endpoint=endpoint)
    if form.is_valid():
        messages.success(request, f"The new limits of {endpoint.name} apply from the next call.")
        return _to_endpoint(endpoint)
    lead = (
        "Limits of the provider for this key, over all workers. Leave unknown limits empty; the number of calls at once "
        "adapts by itself."
    )
    return form_page(request, form, f"Limits of {endpoint.name}", lead, "Save limits")


@editor_required
@require_POST
def endpoint_act(request: MemberRequest, endpoint_id: int, action: str) -> HttpResponse:
    """Pause, resume, cancel or retry every run that uses the key."""
    endpoint = endpoint_or_404(organization=request.organization, endpoint_id=int(endpoint_id))
    number = endpoint_control(endpoint=endpoint, action=action, user=request.user)
    report_action(request, action, number, f" of {endpoint.name}")
    return _to_endpoint(endpoint)


@editor_required
@require_POST
def endpoint_remove(request: MemberRequest, endpoint_id: int) -> HttpResponse:
    endpoint = endpoint_or_404(organization=request.organization, endpoint_id=endpoint_id)
    try:
        endpoint_delete(endpoint=endpoint, actor=request.user)
    except ValidationError as error:
        messages.error(request, error.messages[0])
    else:
        messages.success(request, f"Removed {endpoint.name} and its key.")
    return redirect("dashboard:agents")
