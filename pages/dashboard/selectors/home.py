"""The data of the home page, and the destinations of the command palette."""

from collections import Counter, defaultdict
from functools import reduce
from operator import and_
from typing import Any

from django.db.models import Count, Exists, Max, Min, OuterRef, Q
from django.urls import reverse

from accounts.models import Membership, Organization
from accounts.pages.requests import whole
from pages.dashboard.selectors.experiments import with_progress
from pages.guides.collection import guides
from runs.models import Agent, Experiment, Run
from runs.models.runs import ACTIVE, RETRYABLE
from runs.models.states import SHOWN, STATES_OF, RunState
from runs.selectors.experiments import run_title
from runs.selectors.wait_reasons import Reason
from workspace.drift.selectors import notices_open
from workspace.spending.selectors.months import month_spent

EXPERIMENTS_SHOWN = 5
NEEDS_ATTENTION = (RunState.PAUSED, *RETRYABLE)
WAITS = 2


def home(*, organization: Organization) -> dict[str, Any]:
    """The context of the home page.

    running: (row, reasons for waiting) of experiments with active runs; latest: other experiments, newest first
    counts: runs by group of states, and those that need a person; spent: this month
    notices: unseen notices of watches, newest first
    """
    experiments = Experiment.objects.without_games().filter(organization=organization).select_related("created_by")
    active = Exists(Run.objects.filter(experiment=OuterRef("pk"), state__in=ACTIVE))
    running = list(experiments.filter(active)[:EXPERIMENTS_SHOWN])
    rows = with_progress([*running, *experiments.exclude(active)[:EXPERIMENTS_SHOWN]])
    states = Run.objects.without_games().filter(organization=organization).order_by().values_list("state")
    by_state = Counter(dict(states.annotate(runs=Count("id"))))
    counts = {group: sum(by_state[state] for state in states) for group, states in STATES_OF.items()}
    waits = _waits(running) if by_state[RunState.WAITING] else {}
    return {
        "running": [(row, waits.get(row.experiment.pk, [])) for row in rows[: len(running)]],
        "latest": rows[len(running) :],
        "counts": counts | {"attention": sum(by_state[state] for state in NEEDS_ATTENTION)},
        "attention": [(state, SHOWN[state].short, by_state[state]) for state in NEEDS_ATTENTION if by_state[state]],
        "spent": month_spent(organization=organization),
        "notices": notices_open(organization=organization)[:EXPERIMENTS_SHOWN],
    }


def _waits(experiments: list[Experiment]) -> dict[int, list[Reason]]:
    """The most frequent reasons why runs wait, by the id of their experiment. One query."""
    rows = (
        Run.objects.filter(experiment__in=experiments, state=RunState.WAITING)
        .values_list("experiment", "pause_cause", "reason")
        .annotate(runs=Count("id"), example=Max("id"), wake=Min("wake_at"))
        .order_by("-runs")
    )
    reasons_by_experiment: dict[int, list[Reason]] = defaultdict(list)
    for experiment, cause, text, *rest in rows:
        if len(reasons_by_experiment[experiment]) < WAITS:
            reasons_by_experiment[experiment].append(
                Reason(RunState.WAITING, cause, text or "No reason was stored.", *rest)
            )
    return reasons_by_experiment


MOST_OF_A_KIND = 5
PAGES = {
    "Home": "home",
    "Experiments": "dashboard:experiments",
    "Runs": "dashboard:runs",
    "Leaderboard": "analysis:leaderboard",
    "Litmus": "analysis:litmus",
    "Compare agents": "analysis:compare",
    "Scores over time": "analysis:trends",
    "What explains scores": "analysis:mechanisms",
    "Findings by agent": "findings:findings",
    "Notes analyses": "notes:analyses",
    "Instances": "instances:instances",
    "Preview of an instance": "instances:preview",
    "Own designs": "instances:designs",
    "Play": "play:play",
    "Seasons": "play:seasons",
    "Agents": "dashboard:agents",
    "Drift": "drift:watches",
    "Prompts": "dashboard:prompts",
    "Costs": "spending:spend",
    "Ledger of calls": "spending:ledger",
    "Your account": "accounts:account",
    "Starred": "discussion:starred",
    "Mentions": "discussion:mentions",
    "API tokens": "api:tokens",
    "Members": "accounts:organization",
    "Share links": "sharing:links",
    "Recently deleted": "dashboard:deleted",
}
PAGES_OF_EDITORS = {
    "Launch an experiment": "dashboard:launch",
    "Design instances": "instances:design-new",
    "Add an agent": "dashboard:agent-new",
    "Import": "transfer:import",
}
PAGES_OF_OWNERS = {
    "Organization settings": "accounts:organization-settings",
    "Webhooks": "webhooks:webhooks",
    "Audit log": "accounts:organization-audit",
}


Destination = tuple[str, str, str]
"""(kind, title, address)"""


def destinations(*, membership: Membership, text: str) -> list[Destination]:
    """Destinations that match every word of the text, at most five of a kind.

    A number also finds the run with this id.
    """
    terms = text.lower().split()
    named = reduce(and_, (Q(name__icontains=word) for word in terms), Q(organization=membership.organization_id))
    experiments = Experiment.objects.filter(named).order_by("-id")[:MOST_OF_A_KIND]
    agents = Agent.objects.filter(named).order_by("name")[:MOST_OF_A_KIND]
    runs = Run.objects.none()
    if number := whole(text, 0):
        runs = Run.objects.filter(organization=membership.organization_id, pk=number)
    pages = (
        PAGES | (PAGES_OF_EDITORS if membership.may_edit else {}) | (PAGES_OF_OWNERS if membership.may_manage else {})
    )
    return [
        *(
            ("Run", run_title(run), reverse("dashboard:run", args=[run.pk]))
            for run in runs.select_related("instance", "agent", "rival")
        ),
        *_fitting("Page", {title: reverse(name) for title, name in pages.items()}, terms),
        *(("Experiment", row.name, reverse("dashboard:experiment", args=[row.pk])) for row in experiments),
        *(("Agent", agent.name, reverse("analysis:agent", args=[agent.slug])) for agent in agents),
        *_fitting("Guide", {guide.title: guide.address for group in guides().values() for guide in group}, terms),
    ]


def _fitting(kind: str, addresses: dict[str, str], terms: list[str]) -> list[Destination]:
    """Destinations whose title contains the words.

    Titles that begin with them come first: "agents" finds Agents before Compare agents.
    """
    fitting = [title for title in addresses if all(word in title.lower() for word in terms)]
    fitting.sort(key=lambda title: not title.lower().startswith(" ".join(terms)))
    return [(kind, title, addresses[title]) for title in fitting[:MOST_OF_A_KIND]]
