"""Pages of endpoints: keys, addresses, limits and actions on their runs."""

from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.guards import editor_required
from accounts.models import Endpoint
from accounts.pages.requests import MemberRequest, form_page, posted, submit
from accounts.services import endpoints as services
from infrastructure.text.formats import counted
from pages.dashboard.forms.agents import AddressForm, EndpointForm, HeadersForm, KeyForm, LimitsForm
from pages.dashboard.selectors.agents import endpoint_or_404
from pages.dashboard.selectors.keys import key_rows, paused_for_key
from pages.dashboard.views.actions import done, refused, saved, with_row
from pages.dashboard.views.run_lists import report_action
from runs.services.control import endpoint_control
from runs.services.endpoints import endpoint_set_limits

of_endpoint = with_row("endpoint", endpoint_or_404)


@require_safe
def endpoints(request: MemberRequest) -> HttpResponse:
    """The endpoints. Live refreshes ask for the list here, or for the strip of the page of models."""
    template = "pages/dashboard/endpoints.html"
    if request.htmx:
        strip = request.htmx.target == "endpoints-strip"
        template = f"pages/dashboard/{'_endpoint_strip' if strip else '_endpoints'}.html"
    return render(request, template, {"endpoints": key_rows(organization=request.organization)})


def _place(endpoint: Endpoint) -> str:
    """The address of an endpoint in the list."""
    return f"{reverse('dashboard:endpoints')}#endpoint-{endpoint.pk}"


@editor_required
@require_http_methods(["GET", "POST"])
def endpoint_new(request: MemberRequest) -> HttpResponse:
    form = EndpointForm(request.POST or None)
    if endpoint := submit(form, services.endpoint_create, organization=request.organization, actor=request.user):
        next_page = f"{reverse('dashboard:agent-new')}?endpoint={endpoint.pk}"
        return done(request, f"Added {endpoint.name}. Add an agent that uses it, then test the connection.", next_page)
    return form_page(
        request,
        form,
        "Add an endpoint",
        "The address of a provider or of your own server. Its agents share the key.",
        "Add endpoint",
    )


@editor_required
@require_http_methods(["GET", "POST"])
@of_endpoint
def endpoint_key(request: MemberRequest, endpoint: Endpoint) -> HttpResponse:
    form = KeyForm(posted(request))
    if saved(form, services.endpoint_set_key, endpoint=endpoint, actor=request.user):
        return done(request, _key_changed(endpoint), _place(endpoint))
    now = f"The stored key ends in {endpoint.key_last_four}." if endpoint.key_last_four else "No key is stored yet."
    return form_page(request, form, f"Key of {endpoint.name}", now, "Save key")


def _key_changed(endpoint: Endpoint) -> str:
    if not endpoint.has_key:
        return f"The key of {endpoint.name} is removed."
    waiting = paused_for_key(endpoint)
    runs = f" {counted(waiting, 'run is,runs are')} paused because of it. Choose Resume below to continue."
    return f"The key of {endpoint.name} is stored.{runs if waiting else ''}"


@editor_required
@require_http_methods(["GET", "POST"])
@of_endpoint
def endpoint_headers(request: MemberRequest, endpoint: Endpoint) -> HttpResponse:
    form = HeadersForm(posted(request))
    is_saved = saved(form, services.endpoint_set_headers, endpoint=endpoint, actor=request.user)
    names = ", ".join(endpoint.header_names)
    if is_saved:
        return done(
            request, f"The extra headers of {endpoint.name} are {'stored' if names else 'removed'}.", _place(endpoint)
        )
    now = f"Stored: {names}. Their values are never shown." if names else "Sent with every request, beside the key."
    return form_page(request, form, f"Extra headers of {endpoint.name}", now, "Save headers")


@editor_required
@require_http_methods(["GET", "POST"])
@of_endpoint
def endpoint_address(request: MemberRequest, endpoint: Endpoint) -> HttpResponse:
    form = AddressForm(posted(request), initial={"base_url": endpoint.base_url})
    if saved(form, services.endpoint_move, endpoint=endpoint, actor=request.user):
        return done(request, f"The new address of {endpoint.name} applies from the next call.", _place(endpoint))
    return form_page(
        request,
        form,
        f"Address of {endpoint.name}",
        "The address of its agents. Enter the key and the extra headers again for a new address.",
        "Save address",
    )


@editor_required
@require_http_methods(["GET", "POST"])
@of_endpoint
def endpoint_limits(request: MemberRequest, endpoint: Endpoint) -> HttpResponse:
    form = LimitsForm(posted(request), initial={name: getattr(endpoint, name) for name in LimitsForm.base_fields})
    if saved(form, endpoint_set_limits, endpoint=endpoint):
        return done(request, f"The new limits of {endpoint.name} apply from the next call.", _place(endpoint))
    return form_page(
        request,
        form,
        f"Limits of {endpoint.name}",
        "Limits of the provider for this key, over all workers. Leave unknown limits empty; the number of calls at once "
        "adapts by itself.",
        "Save limits",
    )


@editor_required
@require_POST
@of_endpoint
def endpoint_act(request: MemberRequest, endpoint: Endpoint, action: str) -> HttpResponse:
    """Pause, resume, cancel or retry every run that uses the key."""
    report_action(
        request, action, endpoint_control(endpoint=endpoint, action=action, user=request.user), f" of {endpoint.name}"
    )
    return redirect(_place(endpoint))


@editor_required
@require_POST
@of_endpoint
def endpoint_remove(request: MemberRequest, endpoint: Endpoint) -> HttpResponse:
    try:
        services.endpoint_delete(endpoint=endpoint, actor=request.user)
    except ValidationError as error:
        return refused(request, error, "dashboard:endpoints")
    return done(request, f"Removed {endpoint.name} and its key.", "dashboard:endpoints")
