"""Pages of agents: the list, a new agent, prices and the connection test."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.guards import editor_required
from accounts.pages.form_pages import form_page, submit
from accounts.pages.requests import MemberRequest
from dashboard.forms.agents import AgentForm, PricesForm, ReleaseForm
from dashboard.selectors.agents import agent_or_404, agent_rows, imported_agents
from dashboard.selectors.keys import key_rows
from dashboard.selectors.prices import listed, offers, rates_in_words, tiers_in_words
from runs.list_prices import DATED, SOURCE
from runs.services import (
    agent_create,
    agent_set_release,
    agent_test_connection,
    agent_update_prices,
    agent_use_list_prices,
)


def agents(request: MemberRequest) -> HttpResponse:
    rows = agent_rows(organization=request.organization)
    context = {
        "models": [row for row in rows if not row.agent.is_baseline],
        "baselines": [row for row in rows if row.agent.is_baseline],
        "endpoints": key_rows(organization=request.organization),
        "imported": imported_agents(organization=request.organization),
        "source": SOURCE,
        "dated": DATED,
    }
    return render(request, "dashboard/agents.html", context)


@editor_required
@require_http_methods(["GET", "POST"])
def agent_new(request: MemberRequest) -> HttpResponse:
    form = AgentForm(request.POST or None, organization=request.organization)
    if submit(form, agent_create, organization=request.organization):
        messages.success(request, f"Added {form.cleaned_data['name']}. Test the connection before you launch.")
        return redirect("runs:agents")
    titles = {"title": "Add an agent", "lead": "A model at one of your endpoints.", "button": "Add agent"}
    context = {"form": form} | titles | _listed(request, form)
    return render(request, "dashboard/agent_new.html", context, status=422 if form.is_bound else 200)


@editor_required
@require_GET
def list_prices(request: MemberRequest) -> HttpResponse:
    """The price fields of the form for a new agent, with suggested models and list prices."""
    form = AgentForm(request.GET, organization=request.organization)
    form.is_valid()
    return render(request, "dashboard/_listed_prices.html", _listed(request, form))


def _listed(request: MemberRequest, form: AgentForm) -> dict[str, Any]:
    data = form.cleaned_data if form.is_bound else {}
    endpoint, model = data.get("endpoint"), data.get("model", "")
    found = listed(endpoint, model)
    entered = any(data.get(name) is not None for name in PricesForm.base_fields)
    for name in PricesForm.base_fields:
        if found is None or entered:
            break
        price = getattr(found.prices.base, name.removesuffix("_price"))
        form.fields[name].widget.attrs["placeholder"] = "" if price is None else f"{price.normalize():f}"
    return {
        "own_fields": [field for field in form if field.name not in PricesForm.base_fields],
        "price_fields": [form[name] for name in PricesForm.base_fields],
        "offers": offers(organization=request.organization, endpoint=endpoint),
        "model": model,
        "entered": entered,
        "listed": found,
        "listed_words": rates_in_words(found.prices.base) if found else "",
        "tiers": tiers_in_words(found.prices) if found else "",
        "source": SOURCE,
        "dated": DATED,
    }


@editor_required
@require_http_methods(["GET", "POST"])
def agent_prices(request: MemberRequest, agent_id: int) -> HttpResponse:
    agent = agent_or_404(organization=request.organization, agent_id=agent_id)
    initial = {name: getattr(agent, name) for name in PricesForm.base_fields}
    form = PricesForm(request.POST if request.method == "POST" else None, initial=initial)

    def save(**prices: Any) -> None:
        if "list" in request.POST:
            agent_use_list_prices(agent=agent, actor=request.user)
        else:
            agent_update_prices(agent=agent, actor=request.user, **prices)

    submit(form, save)
    if form.is_valid():
        messages.success(request, f"Saved the prices of {agent.name}. Earlier costs do not change.")
        return redirect("runs:agents")
    found = listed(agent.endpoint, agent.model)
    lead = "Dollars per million tokens. Cached input without a price costs as much as input. "
    if agent.is_priced:
        dated = f", {agent.priced_on:%-d %b %Y}" if agent.priced_on else ""
        lead += f"Now: {agent.price_source or 'entered here'}{dated}. {tiers_in_words(agent.prices)}"
        lead += " New prices apply to inputs of any length." if agent.long_input_prices else ""
    second = ""
    if found is not None and agent.price_source != found.source:
        second = f"Use the list price: {rates_in_words(found.prices.base)}"
    return form_page(request, form, f"Prices of {agent.name}", lead, "Save prices", second)


@editor_required
@require_http_methods(["GET", "POST"])
def agent_release(request: MemberRequest, agent_id: int) -> HttpResponse:
    agent = agent_or_404(organization=request.organization, agent_id=agent_id)
    sent = request.POST if request.method == "POST" else None
    form = ReleaseForm(sent, initial={"release_date": agent.release_date})
    submit(form, agent_set_release, agent=agent)
    if form.is_valid():
        messages.success(request, f"Saved the release date of {agent.name}.")
        return redirect("runs:agents")
    lead = "The page “Over time” places the runs of an agent at this date."
    return form_page(request, form, f"Release date of {agent.name}", lead, "Save release date")


@editor_required
@require_POST
def agent_test(request: MemberRequest, agent_id: int) -> HttpResponse:
    """Make one real tool call and say what came back."""
    agent = agent_or_404(organization=request.organization, agent_id=agent_id)
    context = {"agent": agent, "test": agent_test_connection(agent=agent)}
    return render(request, "dashboard/_agent_test.html" if request.htmx else "dashboard/agent_test.html", context)
