"""Agents and the endpoints they are reached through."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from accounts.services import endpoint_create, endpoint_delete, endpoint_set_key
from runs.forms.agents import AgentForm, EndpointForm, KeyForm, PricesForm
from runs.selectors.agents import agent_or_404, agent_rows, endpoint_or_404, endpoint_rows
from runs.services import agent_create, agent_test_connection, agent_update_prices
from runs.views.guards import editor_required


def agents(request: HttpRequest) -> HttpResponse:
    rows = agent_rows(organization=request.organization)
    context = {
        "models": [row for row in rows if not row.agent.is_baseline],
        "baselines": [row for row in rows if row.agent.is_baseline],
        "endpoints": endpoint_rows(organization=request.organization),
    }
    return render(request, "runs/agents.html", context)


def _form_page(request: HttpRequest, form: forms.Form, title: str, lead: str, button: str) -> HttpResponse:
    context = {"form": form, "title": title, "lead": lead, "button": button}
    return render(request, "runs/agent_form.html", context, status=422 if form.is_bound else 200)


def _take_errors(form: forms.Form, error: ValidationError) -> None:
    for field, sentences in error.message_dict.items():
        form.add_error(field if field in form.fields else None, sentences)


@editor_required
@require_http_methods(["GET", "POST"])
def endpoint_new(request: HttpRequest) -> HttpResponse:
    form = EndpointForm(request.POST or None)
    if form.is_valid():
        try:
            endpoint = endpoint_create(organization=request.organization, actor=request.user, **form.cleaned_data)
        except ValidationError as error:
            _take_errors(form, error)
        else:
            messages.success(request, f"Added {endpoint.name}. Add an agent that uses it, then test the connection.")
            return redirect("runs:agents")
    lead = "Where a provider or a server of your own is reached. Its agents share the key."
    return _form_page(request, form, "Add an endpoint", lead, "Add endpoint")


@editor_required
@require_http_methods(["GET", "POST"])
def endpoint_key(request: HttpRequest, endpoint_id: int) -> HttpResponse:
    endpoint = endpoint_or_404(organization=request.organization, endpoint_id=endpoint_id)
    form = KeyForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            endpoint_set_key(endpoint=endpoint, key=form.cleaned_data["key"], actor=request.user)
        except ValidationError as error:
            _take_errors(form, error)
        else:
            messages.success(request, f"The key of {endpoint.name} is {'stored' if endpoint.has_key else 'removed'}.")
            return redirect("runs:agents")
    now = f"The stored key ends in {endpoint.key_last_four}." if endpoint.key_last_four else "There is no key yet."
    return _form_page(request, form, f"Key of {endpoint.name}", now, "Save key")


@editor_required
@require_POST
def endpoint_remove(request: HttpRequest, endpoint_id: int) -> HttpResponse:
    endpoint = endpoint_or_404(organization=request.organization, endpoint_id=endpoint_id)
    try:
        endpoint_delete(endpoint=endpoint, actor=request.user)
    except ValidationError as error:
        messages.error(request, error.messages[0])
    else:
        messages.success(request, f"Removed {endpoint.name} and its key.")
    return redirect("runs:agents")


@editor_required
@require_http_methods(["GET", "POST"])
def agent_new(request: HttpRequest) -> HttpResponse:
    form = AgentForm(request.POST or None, organization=request.organization)
    if form.is_valid():
        try:
            agent = agent_create(organization=request.organization, **form.cleaned_data)
        except ValidationError as error:
            _take_errors(form, error)
        else:
            messages.success(request, f"Added {agent.name}. Test the connection before you launch.")
            return redirect("runs:agents")
    lead = "A model by its id, at one of your endpoints. Without prices no cost is counted, and no budget cap holds it."
    return _form_page(request, form, "Add an agent", lead, "Add agent")


@editor_required
@require_http_methods(["GET", "POST"])
def agent_prices(request: HttpRequest, agent_id: int) -> HttpResponse:
    agent = agent_or_404(organization=request.organization, agent_id=agent_id)
    initial = {name: getattr(agent, name) for name in PricesForm.base_fields}
    form = PricesForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid():
        try:
            agent_update_prices(agent=agent, **form.cleaned_data)
        except ValidationError as error:
            _take_errors(form, error)
        else:
            messages.success(request, f"New prices for {agent.name} from now on; what was played keeps its cost.")
            return redirect("runs:agents")
    lead = "Dollars per million tokens. Cached input without a price of its own costs as input."
    return _form_page(request, form, f"Prices of {agent.name}", lead, "Save prices")


@editor_required
@require_POST
def agent_test(request: HttpRequest, agent_id: int) -> HttpResponse:
    """Make one real tool call and say what came back."""
    agent = agent_or_404(organization=request.organization, agent_id=agent_id)
    context = {"agent": agent, "test": agent_test_connection(agent=agent)}
    return render(request, "runs/_agent_test.html" if request.htmx else "runs/agent_test.html", context)
