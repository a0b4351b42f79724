"""Where the command palette leads: runs, experiments, agents, pages and guides."""

from dataclasses import dataclass

from django.urls import reverse

from accounts.models import Membership
from accounts.pages.requests import whole
from pages.guides.collection import guides
from runs.models import Agent, Experiment, Run
from runs.selectors.experiments import run_title

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
    "Spend": "spending:spend",
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


@dataclass(frozen=True)
class Destination:
    kind: str
    title: str
    address: str


def destinations(*, membership: Membership, text: str) -> list[Destination]:
    """What fits every word of the text, at most five of a kind; a number is also the id of a run."""
    terms = text.lower().split()
    organization = membership.organization_id
    experiments = Experiment.objects.filter(organization=organization).order_by("-id")
    agents = Agent.objects.filter(organization=organization).order_by("name")
    for word in terms:
        experiments, agents = experiments.filter(name__icontains=word), agents.filter(name__icontains=word)
    matches = []
    if number := whole(text, 0):
        runs = Run.objects.filter(organization=organization, pk=number).select_related("instance", "agent", "rival")
        matches += [Destination("Run", run_title(run), reverse("dashboard:run", args=[run.pk])) for run in runs]
    pages = (
        PAGES | (PAGES_OF_EDITORS if membership.may_edit else {}) | (PAGES_OF_OWNERS if membership.may_manage else {})
    )
    documents = {guide.title: guide.address for group in guides().values() for guide in group}
    matches += _fitting("Page", {title: reverse(name) for title, name in pages.items()}, terms)
    matches += [
        Destination("Experiment", experiment.name, reverse("dashboard:experiment", args=[experiment.pk]))
        for experiment in experiments[:MOST_OF_A_KIND]
    ]
    matches += [
        Destination("Agent", agent.name, reverse("analysis:agent", args=[agent.slug]))
        for agent in agents[:MOST_OF_A_KIND]
    ]
    return matches + _fitting("Guide", documents, terms)


def _fitting(kind: str, addresses: dict[str, str], terms: list[str]) -> list[Destination]:
    """Titles that begin with the words come first: "agents" means the page Agents before Compare agents."""
    fitting = [title for title in addresses if all(word in title.lower() for word in terms)]
    fitting.sort(key=lambda title: not title.lower().startswith(" ".join(terms)))
    return [Destination(kind, title, addresses[title]) for title in fitting[:MOST_OF_A_KIND]]
