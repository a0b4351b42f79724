"""Rows of imported runs.

They are prepared log by log. One transaction writes all of them after the steps that can fail.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from itertools import zip_longest
from typing import Any

from django.db import connection
from django.utils import timezone

import environments.base
from accounts.models import Organization, User
from agents.tools import WRITE, storable
from environments.generation import Recipe
from infrastructure.fields import compressed
from infrastructure.transactions import insert_plain
from runs.engine.period import quality_columns
from runs.engine.reference import ensure_drawn
from runs.metric_series import series_store, without_series
from runs.models import Agent, Exchange, Experiment, Instance, Note, Period, Run, RunState
from runs.proofs.services import proof_search
from workspace.transfer.models import ImportedRun
from workspace.transfer.reading.chats import Call
from workspace.transfer.reading.logs import Log
from workspace.transfer.reading.replaying import Replay

PROMPT_VERSION = "imported"
BATCH = 200
TOKENS = ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens")
SAME_IN_ALL_CALLS = {"state": "replied", "error": "", "send": 0, "fence": 0, "reserved_nano": 0, "cost_nano": 0}
CALL_COLUMNS = ("period_index", "seat", "attempt", "step", "created_at", "seconds", "reply", "results", *TOKENS)
INSTANCE_COLUMNS = ("environment", "difficulty", "seed", "generator", "settings", "parameters", "hidden", "reference")
NOTE_COLUMNS = ("period_index", "seat", "order", "text")


@dataclass(frozen=True)
class ReadyRun:
    """The data of a run to store.

    `log` has no steps and calls, and `replay` no outcomes. The rows in the other fields contain
    them instead. The rows have no run yet. Replies are compressed, so that hundreds of runs fit in
    memory.
    """

    log: Log
    replay: Replay
    periods: tuple[dict[str, Any], ...]
    calls: tuple[tuple[Any, ...], ...]
    notes: tuple[tuple[Any, ...], ...]
    totals: dict[str, int]


def ready(log: Log, replay: Replay) -> ReadyRun:
    by_period: dict[int, list[Call]] = defaultdict(list)
    for call in log.calls:
        by_period[call.period].append(call)
    return ReadyRun(
        log=replace(log, steps=[], calls=[]),
        replay=replace(replay, outcomes=[]),
        periods=tuple(
            {
                "created_at": log.times.last.get(outcome.period) or timezone.now(),
                "seconds": log.times.seconds(outcome.period),
                "index": outcome.period,
                "action": compressed(outcome.action),
                "result": compressed(outcome.result),
                "quality": outcome.quality,
                "ended": outcome.ended,
                "queries": len(by_period[outcome.period]),
                **_tokens(by_period[outcome.period]),
            }
            for outcome in replay.outcomes
        ),
        calls=tuple(map(_call, log.calls)),
        notes=tuple(_notes(log.calls)),
        totals=_tokens(log.calls),
    )


def store_runs(
    *, organization: Organization, user: User | None, archive: str, name: str, runs: Sequence[ReadyRun]
) -> Experiment:
    """Store an experiment with a run for each log."""
    agents = {model: _agent(organization, model) for model in dict.fromkeys(ready_run.log.model for ready_run in runs)}
    instances = [ready_run.replay.instance for ready_run in runs]
    experiment = Experiment.objects.create(
        organization=organization,
        name=name,
        spec={
            "imported": True,
            "environments": list(dict.fromkeys(instance.environment for instance in instances)),
            "difficulties": list(dict.fromkeys(instance.difficulty for instance in instances)),
            "seeds": sorted({instance.seed for instance in instances}),
            "agents": [agent.slug for agent in agents.values()],
            "variants": list(dict.fromkeys(ready_run.log.game.variant for ready_run in runs)),
        },
        created_by=user,
    )
    for ready_run in runs:
        ImportedRun.objects.create(
            run=_run(experiment, ready_run, agents[ready_run.log.model]),
            organization=organization,
            archive=storable(archive)[:200],
            folder=storable(ready_run.log.folder)[:500],
            content_hash=ready_run.log.content_hash,
            **{name: getattr(ready_run.replay, name) for name in ("recorded_score", "differences", "facts")},
            prompts=ready_run.log.prompts,
            created_by=user,
        )
    return experiment


def _agent(organization: Organization, model: str) -> Agent:
    """The agent of an imported model. So its runs are not mixed with those of agents that play on this site."""
    agent, _ = Agent.objects.get_or_create(
        organization=organization,
        slug=f"imported:{model}"[:200],
        defaults={"name": f"{model[:80]} (imported)", "model": model[:200], "imported": True},
    )
    return agent


def _instance(organization: Organization, problem: environments.base.Instance) -> Instance:
    if launched := Instance.objects.filter(
        organization=organization,
        recipe=Recipe(problem.environment, problem.difficulty, problem.seed, problem.generator, problem.settings).hash,
    ).first():
        ensure_drawn(launched)
    row, _ = Instance.objects.get_or_create(
        organization=organization,
        content_hash=problem.content_hash,
        defaults={name: getattr(problem, name) for name in INSTANCE_COLUMNS},
    )
    if row.reference is None:
        row.reference = problem.reference
        row.save(update_fields=["reference"])
    proof_search(instance=row, reference=problem.reference)
    return row


def _run(experiment: Experiment, ready_run: ReadyRun, agent: Agent) -> Run:
    """Store a run with its instance and its rows."""
    log, replay, played = ready_run.log, ready_run.replay, len(ready_run.periods)
    broken_off = f"The log ends after {played} of {log.game.periods} periods; it can be looked at but has no score."
    run = Run.objects.create(
        organization_id=experiment.organization_id,
        experiment=experiment,
        instance=_instance(experiment.organization, replay.instance),
        agent=agent,
        **{name: getattr(log.game, name) for name in ("variant", "reasoning", "periods")},
        prompt_version=PROMPT_VERSION,
        config={"player": {"model": log.model, "temperature": log.temperature}, "imported": True},
        imported=True,
        state=RunState.FINISHED if replay.is_whole else RunState.CANCELLED,
        reason=replay.score.note if replay.is_whole else broken_off,
        periods_played=played,
        **quality_columns([period["quality"] for period in ready_run.periods]),
        score=replay.score.value,
        solved=replay.score.solved,
        metrics=without_series(replay.metrics),
        started_at=log.times.started_at or (log.played_at and log.played_at.replace(tzinfo=UTC)),
        ended_at=log.times.ended_at,
        queries=len(ready_run.calls),
        **ready_run.totals,
    )
    series_store(run_id=run.pk, metrics=replay.metrics)
    Period.objects.bulk_create((Period(run=run, **period) for period in ready_run.periods), batch_size=BATCH)
    always = {"run_id": run.pk, "agent_id": run.agent_id} | SAME_IN_ALL_CALLS
    insert_plain(Exchange, (*always, *CALL_COLUMNS), ((*always.values(), *call) for call in ready_run.calls))
    insert_plain(Note, ("run_id", *NOTE_COLUMNS), ((run.pk, *note) for note in ready_run.notes))
    return run


def _call(call: Call) -> tuple[Any, ...]:
    """The values of CALL_COLUMNS."""
    sent_at, seconds = call.time
    return (
        *(call.period, call.seat, call.attempt, call.step),
        *(connection.ops.adapt_datetimefield_value(sent_at or timezone.now()), seconds),
        compressed(call.reply.as_json()),
        None if call.results is None else compressed([result.as_json() for result in call.results]),
        *_tokens([call]).values(),
    )


def _notes(calls: Sequence[Call]) -> Iterable[tuple[Any, ...]]:
    """The values of NOTE_COLUMNS."""
    orders: Counter[tuple[int, str]] = Counter()
    for call in calls:
        for tool_call, result in zip_longest(call.reply.calls, call.results or ()):
            text = (tool_call.arguments or {}).get("notes")
            was_written = tool_call.name == WRITE and not (result and (result.ignored or result.is_error))
            if was_written and isinstance(text, str) and text:
                yield call.period, call.seat, orders[call.period, call.seat], text
                orders[call.period, call.seat] += 1


def _tokens(calls: Sequence[Call]) -> dict[str, int]:
    return {name: sum(getattr(call.reply.usage, name) for call in calls) for name in TOKENS}
