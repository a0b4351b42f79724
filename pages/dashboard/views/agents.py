"""Pages of agents: the list, the form of an agent, archiving and the connection test."""

from typing import Any

from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import get_text_list
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.guards import editor_required
from accounts.pages.requests import MemberRequest, posted, report_deleted, submit, typed, whole
from infrastructure.text.formats import counted
from pages.dashboard.forms.agents import AgentForm
from pages.dashboard.selectors import agents as reading
from pages.dashboard.selectors.keys import key_rows
from pages.dashboard.views.actions import done, refused, saved, with_row
from runs.catalog import release_date_of
from runs.launching.prices import newer_price
from runs.list_prices import DATED, SOURCE
from runs.models import Agent
from runs.models.runs import ACTIVE
from runs.services import agents as services
from runs.services.agent_errors import PRICES
from runs.services.connection_tests import agent_test_connection
from runs.services.deletions import agent_delete

of_model = with_row("agent", reading.model_or_404)


def agents(request: MemberRequest) -> HttpResponse:
    """The language models. Those with runs or a key come first; the rest is folded and can be searched by `find`."""
    rows = reading.agent_rows(organization=request.organization, kind=reading.MODELS, counted=True)
    listed, find = [row for row in rows if not row.agent.archived_at], typed(request.GET, "find").strip()
    rest = [row for row in listed if not row.is_in_use]
    return render(
        request,
        "pages/dashboard/agents.html",
        {
            "models": [row for row in listed if row.is_in_use],
            "rest": rest,
            "matching": [row for row in rest if row.matches(find)],
            "find": find,
            "archived": [row for row in rows if row.agent.archived_at],
            "endpoints": key_rows(organization=request.organization),
            "imported": reading.imported_agents(organization=request.organization),
            "source": SOURCE,
            "dated": DATED,
        },
    )


def baselines(request: MemberRequest) -> HttpResponse:
    rows = reading.agent_rows(organization=request.organization, kind=reading.PLAYS_A_RULE, counted=True)
    return render(request, "pages/dashboard/baselines.html", {"baselines": rows})


def outside(request: MemberRequest) -> HttpResponse:
    """Agents and people from outside, who play by the episode service or in the browser."""
    players = reading.outside_agents(organization=request.organization)
    return render(request, "pages/dashboard/outside.html", {"outside": players})


@editor_required
@require_http_methods(["GET", "POST"])
def agent_new(request: MemberRequest) -> HttpResponse:
    """The form of a new agent.

    `from` names an agent to copy settings from; `endpoint` and `model` are filled in.
    """
    endpoint = request.organization.endpoints.filter(pk=whole(request.GET.get("endpoint"), 0)).first()
    initial: dict[str, Any] = {"endpoint": endpoint} if endpoint else {}
    lead = "A model at one of your endpoints."
    if model := typed(request.GET, "model"):
        initial = reading.filled_in(organization=request.organization, endpoint=endpoint, model=model)
        lead = f"Filled in for {model}. Nothing is added yet."
    if source := whole(request.GET.get("from"), 0):
        copied = reading.model_or_404(organization=request.organization, agent_id=source)
        initial = services.duplicate_values(copied)
        lead = f"Filled in with the settings of {copied.name}. Nothing is added yet."
    form = AgentForm(request.POST or None, organization=request.organization, initial=initial)
    if agent := submit(form, services.agent_create, organization=request.organization):
        return done(
            request, f"Added {agent.name}. Test the connection before you launch.", "analysis:agent", agent.slug
        )
    context = {"title": "Add an agent", "lead": lead, "button": "Add agent"}
    return _form_page(request, form, context | {"current": reading.current_offers(organization=request.organization)})


@editor_required
@require_http_methods(["GET", "POST"])
@of_model
def agent_edit(request: MemberRequest, agent: Agent) -> HttpResponse:
    is_frozen = services.has_runs(agent)
    initial = services.agent_values(agent)
    form = AgentForm(posted(request), organization=request.organization, initial=initial, is_frozen=is_frozen)
    if saved(form, services.agent_update, agent=agent, actor=request.user, from_list="list" in request.POST):
        return done(
            request,
            f"Saved {agent.name}. New prices and limits apply from the next call.",
            "analysis:agent",
            agent.slug,
        )
    context = {
        "agent": agent,
        "is_frozen": is_frozen,
        "title": f"Edit {agent.name}",
        "lead": f"Launches, files and the API know it as {agent.slug}, also under another name.",
        "button": "Save agent",
    }
    list_price = reading.listed(agent.endpoint, agent.model)
    if list_price is None or agent.price_source != list_price.source or newer_price(agent):
        context["prices_now"] = reading.prices_now(agent)
    if list_price and "prices_now" in context:
        context["second_button"] = f"Save with the list price: {reading.rates_in_words(list_price.prices.base)}"
    return _form_page(request, form, context)


def _form_page(request: MemberRequest, form: AgentForm, context: dict[str, Any]) -> HttpResponse:
    context |= {"form": form} | _listed(form)
    return render(request, "pages/dashboard/agent_form.html", context, status=422 if form.is_bound else 200)


@editor_required
@require_GET
def list_prices(request: MemberRequest) -> HttpResponse:
    """Parts of the form with the data of the price list and the catalog on the chosen model."""
    data = request.GET.copy()
    released = release_date_of(data.get("model", "").strip())
    # A date that was filled in changes with the model. A date that a person typed stays.
    if data.get("release_date", "") in ("", data.get("known_release_date")):
        data["release_date"] = f"{released or ''}"
    form = AgentForm(data, organization=request.organization)
    form.is_valid()
    context = {"form": form, "known_release_date": released, "refresh": True}
    return render(request, "pages/dashboard/_listed_prices.html", context | _listed(form))


def _listed(form: AgentForm) -> dict[str, Any]:
    data = form.cleaned_data if form.is_bound else form.initial
    endpoint, model = data.get("endpoint") or form.first_endpoint, data.get("model", "")
    list_price = reading.listed(endpoint, model)
    entered = any(data.get(name) is not None for name in PRICES)
    base = list_price.prices.base if list_price else None
    for name in PRICES if base and not entered else ():
        price = getattr(base, name.removesuffix("_price"))
        form.fields[name].widget.attrs["placeholder"] = "" if price is None else f"{price.normalize():f}"
    return {
        "has_endpoint": endpoint is not None,
        "offers": reading.offers(endpoint),
        "model": model,
        "entered": entered,
        "listed": list_price,
        "listed_words": reading.rates_in_words(base) if base else "",
        "tiers": reading.tiers_in_words(list_price.prices) if list_price else "",
        "source": list_price.list_name if list_price else SOURCE,
        "dated": list_price.dated if list_price else DATED,
    }


@editor_required
@require_POST
@of_model
def agent_act(request: MemberRequest, agent: Agent, action: str) -> HttpResponse:
    """Archive or unarchive an agent."""
    if action == "archive":
        services.agent_archive(agent=agent, actor=request.user)
        return done(request, _archived(agent), "analysis:agent", agent.slug)
    services.agent_unarchive(agent=agent, actor=request.user)
    return done(request, f"Unarchived {agent.name}. It is offered for launches again.", "analysis:agent", agent.slug)


@editor_required
@require_POST
@of_model
def delete(request: MemberRequest, agent: Agent) -> HttpResponse:
    """Delete an agent without runs."""
    try:
        agent_delete(agent=agent, actor=request.user)
    except ValidationError as error:
        return refused(request, error, "analysis:agent", agent.slug)
    report_deleted(request, f"Deleted {agent.name}.", "agent", agent)
    return redirect("dashboard:agents")


@editor_required
@require_POST
@of_model
def at_efforts(request: MemberRequest, agent: Agent) -> HttpResponse:
    """Create agents of the same model at the chosen reasoning efforts."""
    try:
        made = services.agents_at_efforts(agent=agent, efforts=request.POST.getlist("effort"))
    except ValidationError as error:
        return refused(request, " ".join(error.messages), "analysis:agent", agent.slug)
    names = get_text_list([each.name for each in made], "and")
    return done(
        request, f"Made {names}." if made else "There is an agent at each of these efforts already.", "dashboard:agents"
    )


def _archived(agent: Agent) -> str:
    going = agent.runs.filter(state__in=ACTIVE).count()
    goes_on = f" Its {counted(going, 'active run goes,active runs go')} on." if going else ""
    return f"Archived {agent.name}. It is not offered for launches any more; its results stay.{goes_on}"


@editor_required
@require_POST
@of_model
def agent_test(request: MemberRequest, agent: Agent) -> HttpResponse:
    """Make one real tool call and report the result."""
    return render(
        request,
        "pages/dashboard/_agent_test.html" if request.htmx else "pages/dashboard/agent_test.html",
        {"agent": agent, "test": agent_test_connection(agent=agent)},
    )
