"""Rounds of watches. They are launched when due, and compared with their baseline once their runs have ended.

The sweep calls both steps. All writes of a launch or an end are one transaction, which claims its
row by a conditional update. If the process is killed, either all writes are stored or none. Of two
simultaneous sweeps, only one does the work.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from accounts.models import Organization, User
from infrastructure.text.formats import money, p_text
from infrastructure.transactions import write_transaction
from runs.catalog import retirement_of
from runs.launching.again import spec_as_plan
from runs.launching.plan import LaunchError, LaunchPlan
from runs.models import Run, RunState
from runs.models.proofs import AWAITS_SCORE
from runs.models.runs import TERMINAL
from runs.services.experiments import PreparedLaunch, experiment_launch, launch_prepare
from stats.designs.replays import BASELINE_ROUNDS, Replayed
from workspace.drift.facts import FACTS, Answers, facts_of, mixture_change, new_values, replayed_by_key
from workspace.drift.models import SPACING, Interval, Notice, NoticeKind, Round, RoundState, Watch, WatchState
from workspace.webhooks.outbox import notify_of_drift

PLAYING = Q(state=RoundState.PLAYING, experiment__deleted_at=None)
"""Rounds that play or wait for a person, without rounds of deleted experiments."""


def rounds_launch() -> None:
    """Launch every due round whose watch has no round in play. A listener of events.sweeping_seldom."""
    playing = Round.objects.filter(PLAYING, watch=OuterRef("pk"))
    watches = Watch.objects.select_related("organization", "agent__endpoint", "created_by")
    for watch in watches.filter(~Exists(playing), state=WatchState.ACTIVE, due_at__lte=Now()):
        round_launch(watch=watch)


def round_launch(*, watch: Watch) -> None:
    """Launch the next round of a watch, or all rounds of its baseline, unless another process launched it.

    A round that would exceed its budget is refused, with a notice. If a launch is impossible, the watch is stopped.
    """
    try:
        if watch.created_by and not may_launch(watch.organization, watch.created_by):
            raise LaunchError({"user": "Who made this watch may no longer launch."})
        prepared = launch_prepare(plan=plan_of(watch), organization=watch.organization)
        with write_transaction():
            # The update locks the row. A second process waits here and then finds a different `due_at`.
            due = Watch.objects.filter(pk=watch.pk, state=WatchState.ACTIVE, due_at=watch.due_at)
            if not due.update(due_at=timezone.now() + SPACING[Interval(watch.interval)]):
                return
            if refusal := budget_error(prepared, watch.budget_nano):
                refused = _round(watch, in_baseline=False, state=RoundState.REFUSED, ended_at=timezone.now())
                notice_give(watch, NoticeKind.REFUSED, f"Round {refused.number} was not launched. {refusal}", refused)
                return
            number = rounds_to_launch(watch)
            for _ in range(number):
                _launch(watch, prepared, in_baseline=number > 1)
    except LaunchError as error:
        watch_stop(watch=watch, reason=str(error))


def may_launch(organization: Organization, user: User) -> bool:
    member = organization.memberships.filter(user=user, user__is_active=True).first()
    return member is not None and member.may_edit


def plan_of(watch: Watch) -> LaunchPlan:
    """The plan of a round. Raises LaunchError if the agent or one of the launch's parts can no longer be launched."""
    return spec_as_plan(watch.spec | {"agents": [watch.agent.slug]}, watch.organization)


def budget_error(prepared: PreparedLaunch, budget_nano: int | None) -> str:
    """A sentence on why a round is too expensive; empty if it is not, or if its price is unknown."""
    cost = prepared.estimate.cost_nano
    if cost is None or budget_nano is None or cost.expected <= budget_nano:
        return ""
    return (
        f"It would cost about {money(round(cost.expected))}, more than the budget of {money(budget_nano)} for a round."
    )


def rounds_to_launch(watch: Watch) -> int:
    """The number of rounds to launch: all rounds of a baseline at once, later rounds one at a time."""
    return 1 if rounds_of(watch, watch.baseline).filter(in_baseline=True).exists() else BASELINE_ROUNDS


def watch_stop(*, watch: Watch, reason: str) -> None:
    """Pause a watch that cannot launch, or end it if its agent's model is retired. A second call does nothing."""
    retirement = retirement_of(watch.agent)
    state = WatchState.ENDED if retirement and retirement.is_retired else WatchState.PAUSED
    with write_transaction():
        if Watch.objects.filter(pk=watch.pk, state=WatchState.ACTIVE).update(state=state, reason=reason):
            notice_give(watch, NoticeKind.STOPPED, f"The watch has {state.label.lower()}. {reason}")


def notice_give(watch: Watch, kind: NoticeKind, sentence: str, of_round: Round | None = None) -> None:
    """Store a notice and write its event for webhooks, in the transaction of the change."""
    notice = Notice.objects.create(watch=watch, round=of_round, kind=kind, sentence=f"{watch.agent.name}: {sentence}")
    notify_of_drift(
        agent=watch.agent,
        experiment=of_round.experiment if of_round else None,
        watch={"id": watch.pk, "kind": kind, "round": of_round and of_round.number, "sentence": notice.sentence},
    )


def _launch(watch: Watch, prepared: PreparedLaunch, *, in_baseline: bool) -> None:
    made = _round(watch, in_baseline=in_baseline)
    made.experiment = experiment_launch(
        organization=watch.organization,
        user=watch.created_by,
        plan=prepared.plan,
        name=f"Drift of {watch.agent.name}, round {made.number}",
        budget_nano=watch.budget_nano,
        prepared=prepared,
    )
    made.save(update_fields=["experiment"])


def _round(watch: Watch, **values: Any) -> Round:
    last = watch.rounds.aggregate(last=Max("number", default=0))["last"]
    return Round.objects.create(watch=watch, number=last + 1, baseline=watch.baseline, **values)


def rounds_end() -> None:
    """End every round whose runs have ended for good. A listener of events.sweeping_seldom.

    Paused, stalled and errored runs wait for a person to resume or cancel them. Some runs get their score only when
    their optimum is proven. The round is not compared until then.
    """
    pending = Run.objects.filter(~Q(state__in=TERMINAL) | AWAITS_SCORE, experiment=OuterRef("experiment"))
    for ended in Round.objects.filter(PLAYING, ~Exists(pending)).select_related("watch__agent", "experiment"):
        round_end(ended=ended)


@dataclass(frozen=True)
class RoundOutcome:
    """The results of a round.

    scores: points by (instance, version of the prompts)
    answers: facts of its replies, such as the model that answered
    """

    scores: Mapping[tuple[int, str], float]
    answers: Answers


def round_end(*, ended: Round) -> None:
    """Store the facts of a round and its comparison with the baseline, unless another process did it."""
    assert ended.experiment is not None
    ended.facts = facts_of(ended.experiment, ended.watch.agent)
    values, notices = ({}, {}) if ended.in_baseline else _compare_with_baseline(ended)
    with write_transaction():
        rows = Round.objects.filter(pk=ended.pk, state=RoundState.PLAYING)
        if not rows.update(state=RoundState.ENDED, ended_at=Now(), facts=ended.facts, **values):
            return
        for kind, sentence in notices.items():
            notice_give(ended.watch, kind, sentence, ended)


def _compare_with_baseline(ended: Round) -> tuple[dict[str, Any], dict[NoticeKind, str]]:
    """Compare a round with its baseline.

    Returns values for the round's columns, and the sentence of each notice by its kind. A change of score or mixture
    that persists is reported again only after a person has seen it. A new value is reported once.
    """
    watch = ended.watch
    others = rounds_of(watch, ended.baseline).filter(state=RoundState.ENDED)
    later = [other.facts for other in others if not other.in_baseline]
    *baseline, new = outcomes_of([*(other for other in others if other.in_baseline), ended])
    unseen = set(watch.notices.filter(seen_at=None).values_list("kind", flat=True))
    result = replayed_by_key([other.scores for other in baseline], new.scores, watch.looks)
    notices = {NoticeKind.SCORE: "" if NoticeKind.SCORE in unseen else score_change(result)}
    answers = [other.answers for other in baseline]
    for fact in FACTS:
        seen = {value for facts in later for value in facts.get(fact, ())}
        notices[fact] = new_values(fact, answers, new.answers, seen)
        if not notices[fact] and fact not in unseen:
            notices[fact] = mixture_change(fact, answers, new.answers, watch.looks)
    return vars(result), {kind: sentence for kind, sentence in notices.items() if sentence}


def rounds_of(watch: Watch, baseline: int) -> QuerySet[Round]:
    """The rounds of a baseline that were launched and whose experiment is not deleted."""
    return watch.rounds.filter(baseline=baseline, experiment__isnull=False, experiment__deleted_at=None)


def outcomes_of(rounds: Sequence[Round]) -> list[RoundOutcome]:
    """The scores and answers of some rounds, in their order. One query."""
    runs = Run.objects.filter(experiment__in=[watch_round.experiment_id for watch_round in rounds]).order_by("id")
    rows = list(runs.values_list("experiment_id", "id", "instance_id", "prompt_version", "state", "score"))
    return [
        RoundOutcome(
            {
                (instance, version): 100 * score
                for experiment, _, instance, version, state, score in rows
                if experiment == watch_round.experiment_id and state == RunState.FINISHED and score is not None
                if math.isfinite(score)
            },
            Answers(watch_round.facts, {str(run): instance for experiment, run, instance, *_ in rows}),
        )
        for watch_round in rounds
    ]


def score_change(result: Replayed) -> str:
    """A sentence on a changed score; empty if it may be due to chance."""
    if not result.is_changed or result.difference is None:
        return ""
    return (
        f"The score is {abs(result.difference):.1f} points {'higher' if result.difference > 0 else 'lower'} than in the "
        f"baseline, over {result.n} instances ({p_text(result.p)}; up to {result.level:.4f} counts as a change)."
    )
