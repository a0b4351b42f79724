"""Endpoints and their keys: entering them, limiting them, and what runs on them."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from accounts.guards import editor_required
from accounts.models import Endpoint
from accounts.pages.form_pages import form_page, take_errors
from accounts.pages.requests import MemberRequest
from accounts.services import endpoint_create, endpoint_delete, endpoint_move, endpoint_set_key
from dashboard.forms.agents import AddressForm, EndpointForm, KeyForm, LimitsForm
from dashboard.selectors.agents import endpoint_or_404
from dashboard.selectors.keys import key_rows, paused_for_key
from infrastructure.text.formats import counted
from runs.services import (
    endpoint_cancel,
    endpoint_pause,
    endpoint_resume,
    endpoint_retry,
    endpoint_set_limits,
)

ACTIONS = {
    "pause": (endpoint_pause, "Pausing {} of {}. A run in play stops after its current model call."),
    "resume": (endpoint_resume, "Resumed {} of {}; the next call tries the endpoint at once."),
    "cancel": (endpoint_cancel, "Cancelled {} of {}. Periods already played are kept."),
    "retry": (endpoint_retry, "Queued {} of {} again. They go on from the last period played."),
}


def endpoints(request: MemberRequest) -> HttpResponse:
    """The list of endpoints by itself, for the page to refresh."""
    rows = key_rows(organization=request.organization)
    return (
        render(request, "dashboard/_endpoints.html", {"endpoints": rows}) if request.htmx else redirect("runs:agents")
    )


def _to_endpoint(endpoint: Endpoint) -> HttpResponseRedirect:
    return HttpResponseRedirect(f"{reverse('runs:agents')}#endpoint-{endpoint.pk}")


@editor_required
@require_http_methods(["GET", "POST"])
def endpoint_new(request: MemberRequest) -> HttpResponse:
    form = EndpointForm(request.POST or None)
    if form.is_valid():
        try:
            endpoint = endpoint_create(organization=request.organization, actor=request.user, **form.cleaned_data)
        except ValidationError as error:
            take_errors(form, error)
        else:
            messages.success(request, f"Added {endpoint.name}. Add an agent that uses it, then test the connection.")
            return redirect("runs:agents")
    lead = "Where a provider or a server of your own is reached. Its agents share the key."
    return form_page(request, form, "Add an endpoint", lead, "Add endpoint")


@editor_required
@require_http_methods(["GET", "POST"])
def endpoint_key(request: MemberRequest, endpoint_id: int) -> HttpResponse:
    endpoint = endpoint_or_404(organization=request.organization, endpoint_id=endpoint_id)
    form = KeyForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            endpoint_set_key(endpoint=endpoint, key=form.cleaned_data["key"], actor=request.user)
        except ValidationError as error:
            take_errors(form, error)
        else:
            messages.success(request, _key_changed(endpoint))
            return _to_endpoint(endpoint)
    now = f"The stored key ends in {endpoint.key_last_four}." if endpoint.key_last_four else "No key is stored yet."
    return form_page(request, form, f"Key of {endpoint.name}", now, "Save key")


def _key_changed(endpoint: Endpoint) -> str:
    waiting = paused_for_key(endpoint)
    said = f"The key of {endpoint.name} is {'stored' if endpoint.has_key else 'removed'}."
    if not waiting or not endpoint.has_key:
        return said
    return f"{said} {counted(waiting, 'run is,runs are')} paused because of it: press Resume below to let them go on."


@editor_required
@require_http_methods(["GET", "POST"])
def endpoint_address(request: MemberRequest, endpoint_id: int) -> HttpResponse:
    endpoint = endpoint_or_404(organization=request.organization, endpoint_id=endpoint_id)
    form = AddressForm(request.POST if request.method == "POST" else None, initial={"base_url": endpoint.base_url})
    if form.is_valid():
        try:
            endpoint_move(endpoint=endpoint, actor=request.user, **form.cleaned_data)
        except ValidationError as error:
            take_errors(form, error)
        else:
            messages.success(request, f"The address of {endpoint.name} holds from the next call on.")
            return _to_endpoint(endpoint)
    lead = "Where its agents are reached. A new address needs its key, typed here."
    return form_page(request, form, f"Address of {endpoint.name}", lead, "Save address")


@editor_required
@require_http_methods(["GET", "POST"])
def endpoint_limits(request: MemberRequest, endpoint_id: int) -> HttpResponse:
    endpoint = endpoint_or_404(organization=request.organization, endpoint_id=endpoint_id)
    initial = {name: getattr(endpoint, name) for name in LimitsForm.base_fields}
    form = LimitsForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid():
        try:
            endpoint_set_limits(endpoint=endpoint, **form.cleaned_data)
        except ValidationError as error:
            take_errors(form, error)
        else:
            messages.success(request, f"The limits of {endpoint.name} hold from the next call on.")
            return _to_endpoint(endpoint)
    lead = (
        "What the provider allows this key, over all workers together. Leave empty what you do not know: how many calls "
        "it stands at once is found out by itself."
    )
    return form_page(request, form, f"Limits of {endpoint.name}", lead, "Save limits")


@editor_required
@require_POST
def endpoint_act(request: MemberRequest, endpoint_id: int, action: str) -> HttpResponse:
    """Pause, resume, cancel or retry every run that uses the key."""
    endpoint = endpoint_or_404(organization=request.organization, endpoint_id=int(endpoint_id))
    act, sentence = ACTIONS[action]
    number = act(endpoint=endpoint, user=request.user)
    said = sentence.format(counted(number, "run,runs"), endpoint.name)
    messages.success(request, said if number else "There was no run left to do that to.")
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
    return redirect("runs:agents")
