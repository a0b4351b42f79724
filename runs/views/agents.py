"""Agents: who can play."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from runs.forms.agents import AgentForm, PricesForm
from runs.selectors.agents import agent_or_404, agent_rows, imported_agents
from runs.selectors.keys import key_rows
from runs.services import agent_create, agent_test_connection, agent_update_prices
from runs.views.form_pages import form_page, take_errors
from runs.views.guards import editor_required


def agents(request: HttpRequest) -> HttpResponse:
    rows = agent_rows(organization=request.organization)
    context = {
        "models": [row for row in rows if not row.agent.is_baseline],
        "baselines": [row for row in rows if row.agent.is_baseline],
        "endpoints": key_rows(organization=request.organization),
        "imported": imported_agents(organization=request.organization),
    }
    return render(request, "runs/agents.html", context)


@editor_required
@require_http_methods(["GET", "POST"])
def agent_new(request: HttpRequest) -> HttpResponse:
    form = AgentForm(request.POST or None, organization=request.organization)
    if form.is_valid():
        try:
            agent = agent_create(organization=request.organization, **form.cleaned_data)
        except ValidationError as error:
            take_errors(form, error)
        else:
            messages.success(request, f"Added {agent.name}. Test the connection before you launch.")
            return redirect("runs:agents")
    lead = "A model by its id, at one of your endpoints. Without prices no cost is counted, and no budget cap holds it."
    return form_page(request, form, "Add an agent", lead, "Add agent")


@editor_required
@require_http_methods(["GET", "POST"])
def agent_prices(request: HttpRequest, agent_id: int) -> HttpResponse:
    agent = agent_or_404(organization=request.organization, agent_id=agent_id)
    initial = {name: getattr(agent, name) for name in PricesForm.base_fields}
    form = PricesForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid():
        try:
            agent_update_prices(agent=agent, actor=request.user, **form.cleaned_data)
        except ValidationError as error:
            take_errors(form, error)
        else:
            messages.success(request, f"New prices for {agent.name} from now on; what was played keeps its cost.")
            return redirect("runs:agents")
    lead = "Dollars per million tokens. Cached input without a price of its own costs as input."
    return form_page(request, form, f"Prices of {agent.name}", lead, "Save prices")


@editor_required
@require_POST
def agent_test(request: HttpRequest, agent_id: int) -> HttpResponse:
    """Make one real tool call and say what came back."""
    agent = agent_or_404(organization=request.organization, agent_id=agent_id)
    context = {"agent": agent, "test": agent_test_connection(agent=agent)}
    return render(request, "runs/_agent_test.html" if request.htmx else "runs/agent_test.html", context)
