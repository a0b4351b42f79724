"""Database reads of watches. Watches of other organizations are not found."""

from collections import Counter
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.shortcuts import get_object_or_404

from accounts.models import Organization
from infrastructure.money import usd_or_none
from infrastructure.text.formats import money, whole_percent
from runs.estimating.estimates import estimate
from runs.launching.plan import LaunchError
from runs.models import Agent
from runs.selectors.progress import Progress, progress_of
from workspace.drift.facts import FACTS, calls_by_value
from workspace.drift.models import Notice, Round, Watch, WatchState
from workspace.drift.rounds import PLAYING, RoundOutcome, outcomes_of, plan_of, rounds_to_launch

MOST_VALUES = 3
OF_A_ROUND = Q(round__experiment__deleted_at=None)
"""Notices without a round, or with a round whose experiment is not deleted."""


def watches_of(*, organization: Organization, agent: Agent | None = None) -> QuerySet[Watch]:
    """Watches, newest first, each with `open`, the number of its unseen notices."""
    rows = Watch.objects.filter(Q(agent=agent) if agent else Q(), organization=organization)
    # A watch without a notice has an empty joined row, so ids are counted instead of rows.
    unseen = Count("notices__id", filter=Q(notices__seen_at=None, notices__round__experiment__deleted_at=None))
    return rows.select_related("agent", "created_by").annotate(open=unseen).order_by("-id")


def watch_or_404(*, organization: Organization, watch_id: int) -> Watch:
    return get_object_or_404(
        Watch.objects.select_related("organization", "agent__endpoint", "created_by"),
        organization=organization,
        pk=watch_id,
    )


def notices_open(*, organization: Organization) -> QuerySet[Notice]:
    """Notices that no member has seen yet, newest first."""
    return Notice.objects.filter(OF_A_ROUND, watch__organization=organization, seen_at=None)


def watches_by_maker(organization: Organization) -> dict[int, list[str]]:
    """The watches that a person's removal would pause, by the id of their creator.

    A listener of accounts.hooks.made_by_members.
    """
    names: dict[int, list[str]] = {}
    active = Watch.objects.filter(organization=organization, state=WatchState.ACTIVE, created_by__isnull=False)
    for watch in active.select_related("agent"):
        names.setdefault(watch.created_by_id or 0, []).append(f"the watch of {watch.agent.name} (paused)")
    return names


@dataclass(frozen=True)
class RoundRow:
    """A round with its runs. score: mean of its instances in points, None if no run has a score"""

    round: Round
    outcome: RoundOutcome
    progress: Progress

    @property
    def score(self) -> float | None:
        return fmean(self.outcome.scores.values()) if self.outcome.scores else None

    @property
    def answers(self) -> list[str]:
        """The models and other facts of its replies: 'gpt-6-a', or 'gpt-6-a 71 %, gpt-6-b 29 %'.

        Facts without a value are left out.
        """
        return [mixture for fact in FACTS if (mixture := _mixture(calls_by_value(self.round.facts, fact)))]

    def as_json(self) -> dict[str, Any]:
        """The round for the API and the command line. Differences are in points; unknown values are None."""
        row = self.round
        return {
            "round": row.number,
            "baseline": row.baseline,
            "in_baseline": row.in_baseline,
            "state": row.state,
            "experiment": row.experiment_id,
            "score": self.score,
            **{name: getattr(row, name) for name in ("n", "difference", "p", "level", "can_tell")},
            "calls": {str(fact): dict(calls_by_value(row.facts, fact)) for fact in FACTS},
            "created_at": row.created_at.isoformat(),
        }


def _mixture(calls: Counter[str]) -> str:
    if len(calls) < 2:
        return next(iter(calls), "")
    shares = [f"{value} {whole_percent(number, calls.total())}" for value, number in calls.most_common(MOST_VALUES)]
    return ", ".join(shares) + (f" and {len(calls) - MOST_VALUES} more" if len(calls) > MOST_VALUES else "")


def round_rows(watch: Watch) -> list[RoundRow]:
    """All rounds in order, without those of deleted experiments. Three queries."""
    rounds = list(watch.rounds.filter(Q(experiment=None) | Q(experiment__deleted_at=None)))
    progress = progress_of([watch_round.experiment_id for watch_round in rounds if watch_round.experiment_id])
    return [
        RoundRow(watch_round, outcome, progress.get(watch_round.experiment_id or 0, Progress()))
        for watch_round, outcome in zip(rounds, outcomes_of(rounds), strict=True)
    ]


def next_round(watch: Watch) -> str:
    """A sentence on the next launch, its expected cost and what it waits for; '' for an ended watch."""
    if watch.state == WatchState.ENDED:
        return ""
    if watch.rounds.filter(PLAYING).exists():
        return "The next round waits until the runs of the present one have ended."
    try:
        cost = estimate(plan_of(watch), watch.organization).cost_nano
    except LaunchError as error:
        return f"The next round cannot be launched. {error}"
    number = rounds_to_launch(watch)
    what = f"The {number} rounds of the baseline" if number > 1 else "The next round"
    if cost is None:
        return f"{what} will be launched at a price that is not known."
    return f"{what} will cost about {money(round(number * cost.expected))}."


def watch_json(watch: Watch) -> dict[str, Any]:
    """A watch for the API and the command line, without its rounds."""
    return {
        "id": watch.pk,
        "agent": watch.agent.slug,
        "interval": watch.interval,
        "state": watch.state,
        "reason": watch.reason,
        "budget_usd": usd_or_none(watch.budget_nano),
        "baseline": watch.baseline,
        "due_at": watch.due_at.isoformat() if watch.is_active else None,
        **{
            name: watch.spec[name]
            for name in ("environments", "difficulties", "seeds", "variants", "periods", "generator")
        },
    }


def watch_detail_json(watch: Watch) -> dict[str, Any]:
    """A watch for the API and the command line, with its rounds and its unseen notices."""
    return watch_json(watch) | {
        "rounds": [row.as_json() for row in round_rows(watch)],
        "notices": [
            {"kind": notice.kind, "round": notice.round and notice.round.number, "sentence": notice.sentence}
            for notice in watch.notices.filter(OF_A_ROUND, seen_at=None).select_related("round")
        ],
    }
