"""The destinations of the command palette."""

from collections.abc import Iterable
from functools import reduce
from operator import and_
from typing import TypeVar

from django.db.models import Q, QuerySet
from django.urls import reverse

from accounts.models import Membership
from accounts.pages.requests import whole
from environments.registry import ENVIRONMENTS
from pages.guides.collection import guides
from pages.navigation.sections import SECTIONS, Page
from runs.models import Agent, Experiment, Run
from runs.selectors.experiments import run_title

MOST_OF_A_KIND = 5
MOST_WORDS = 8

Named = TypeVar("Named", QuerySet[Experiment], QuerySet[Agent])

Destination = tuple[str, str, str]
"""(kind, title, address)"""


def destinations(*, membership: Membership, text: str) -> list[Destination]:
    """Destinations that match every word of the text, in any order, at most five of a kind.

    The kind is a word like those of the name: "guide budgets" finds the guide. A number also finds the run with this
    id, and two or more words find runs by their agent, environment, difficulty and experiment.
    """
    words = text.lower().split()[:MOST_WORDS]
    experiments, agents = Experiment.objects.order_by("-id"), Agent.objects.order_by("name")
    return [
        *(
            ("Run", run_title(run), reverse("dashboard:run", args=[run.pk]))
            for run in _runs(membership, words).select_related("instance", "agent", "rival")[:MOST_OF_A_KIND]
        ),
        *_fitting(_pages(membership), words),
        *(
            ("Experiment", row.name, reverse("dashboard:experiment", args=[row.pk]))
            for row in _with_names(experiments, "experiment", membership, words)
        ),
        *(
            ("Agent", agent.name, reverse("analysis:agent", args=[agent.slug]))
            for agent in _with_names(agents, "agent", membership, words)
        ),
        *_fitting(
            (("Guide", page.title, page.address, page.about) for group in guides().values() for page in group), words
        ),
    ]


def _with_names(rows: Named, kind: str, membership: Membership, words: list[str]) -> Named:
    """Rows whose name has the words. The kind itself is no word of the name, unless it is the only word."""
    words = [word for word in words if word != kind] or words
    named = (Q(name__icontains=word) for word in words)
    return rows.filter(reduce(and_, named, Q(organization=membership.organization_id)))[:MOST_OF_A_KIND]


def _runs(membership: Membership, words: list[str]) -> QuerySet[Run]:
    """Runs by number, or by several words of their title or of the name of their experiment.

    If that name has all words, the experiment stands for its runs.
    """
    rows = Run.objects.filter(organization=membership.organization_id)
    words = [word for word in words if word != "run"]
    numbers = [number for word in words if (number := whole(word, 0))]
    if numbers and len(words) == 1:
        return rows.filter(pk__in=numbers)
    if len(words) < 2:
        return rows.none()
    in_name = (Q(experiment__name__icontains=word) for word in words)
    return rows.filter(reduce(and_, map(_of_run, words))).exclude(reduce(and_, in_name)).order_by("-id")


def _of_run(word: str) -> Q:
    environments = [name for name, environment in ENVIRONMENTS.items() if word in environment.title.lower()]
    matches = Q(agent__name__icontains=word) | Q(rival__name__icontains=word) | Q(experiment__name__icontains=word)
    matches |= Q(instance__environment__in=environments) | Q(instance__difficulty__iexact=word)
    return matches | Q(pk=number) if (number := whole(word, 0)) else matches


def _pages(membership: Membership) -> Iterable[tuple[str, str, str, str]]:
    """(kind, title, address, other words) of each page of the sections that the member may open."""
    tabs = [(section.title, tab) for section in SECTIONS for tab in (*section.tabs, *section.more)]
    below: list[tuple[str, Page]] = [(title, page) for title, tab in tabs for page in tab.pages]
    return [
        (title if title != page.title else "Page", page.title, page.address, page.words)
        for title, page in [*tabs, *below]
        if page.open_to(membership)
    ]


def _fitting(rows: Iterable[tuple[str, str, str, str]], words: list[str]) -> list[Destination]:
    """Destinations that have the words in their title, kind or other words; those with more of them in the title first.

    "agents" finds the section Agents before Compare agents.
    """
    fitting = [row for row in rows if all(any(word in part.lower() for part in (*row[:2], row[3])) for word in words)]

    def rank(row: tuple[str, str, str, str]) -> tuple[bool, int]:
        kind, title = row[0].lower(), row[1].lower()
        begins = any(part.startswith(word) for part in (title, kind) for word in words)
        return not begins, -sum(word in title for word in words)

    return [row[:3] for row in sorted(fitting, key=rank)[:MOST_OF_A_KIND]]
