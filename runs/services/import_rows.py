"""The rows of imported runs. Called in a transaction, after everything that can fail or takes long."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.utils import timezone

import environments.base
from accounts.models import Organization, User
from agents.notes import WRITE, storable
from runs.importing.logs import Call, Log
from runs.importing.replaying import Replay
from runs.models import Agent, Exchange, ExchangeState, Experiment, ImportedRun, Instance, Note, Period, Run, RunState

PROMPT_VERSION = "imported"
BATCH = 200
TOKENS = ("input_tokens", "cached_tokens", "output_tokens")


def store_runs(
    *, organization: Organization, user: User | None, archive: str, name: str, logs: Sequence[tuple[Log, Replay]]
) -> Experiment:
    """An experiment with a run for each log."""
    agents = {log.model: _agent(organization, log.model) for log, _ in logs}
    experiment = Experiment.objects.create(
        organization=organization, name=name, spec=_spec(logs, agents), created_by=user
    )
    for log, played in logs:
        run = _run(experiment, log, played, _instance(organization, played.instance), agents[log.model])
        run.save()
        _play(run, log, played)
        ImportedRun.objects.create(
            run=run,
            organization=organization,
            archive=storable(archive)[:200],
            folder=storable(log.folder)[:500],
            content_hash=log.content_hash,
            recorded_score=played.recorded_score,
            differences=played.differences,
            facts=_facts(log),
            prompts=log.prompts,
            created_by=user,
        )
    return experiment


def _agent(organization: Organization, model: str) -> Agent:
    """The model as an agent of its own, so that its runs are never taken for those of an agent that plays here."""
    agent, _ = Agent.objects.get_or_create(
        organization=organization,
        slug=f"imported:{model}"[:200],
        defaults={"name": f"{model[:80]} (imported)", "model": model[:200], "imported": True},
    )
    return agent


def _instance(organization: Organization, problem: environments.base.Instance) -> Instance:
    row, _ = Instance.objects.get_or_create(
        organization=organization,
        content_hash=problem.content_hash,
        defaults={
            "environment": problem.environment,
            "difficulty": problem.difficulty,
            "seed": problem.seed,
            "generator": problem.generator,
            "settings": problem.settings,
            "parameters": problem.parameters,
            "hidden": problem.hidden,
            "reference": problem.reference,
        },
    )
    if row.reference is None:
        row.reference = problem.reference
        row.save(update_fields=["reference"])
    return row


def _spec(logs: Sequence[tuple[Log, Replay]], agents: dict[str, Agent]) -> dict[str, Any]:
    instances = [played.instance for _, played in logs]
    return {
        "imported": True,
        "environments": list(dict.fromkeys(instance.environment for instance in instances)),
        "difficulties": list(dict.fromkeys(instance.difficulty for instance in instances)),
        "seeds": sorted({instance.seed for instance in instances}),
        "agents": [agent.slug for agent in agents.values()],
        "variants": list(dict.fromkeys(log.game.variant for log, _ in logs)),
    }


def _run(experiment: Experiment, log: Log, played: Replay, instance: Instance, agent: Agent) -> Run:
    played_periods, planned = len(played.outcomes), log.game.periods
    broken_off = f"The log ends after {played_periods} of {planned} periods; it can be looked at but has no score."
    return Run(
        organization_id=experiment.organization_id,
        experiment=experiment,
        instance=instance,
        agent=agent,
        variant=log.game.variant,
        reasoning=log.game.reasoning,
        periods=planned,
        prompt_version=PROMPT_VERSION,
        config={"player": {"model": log.model, "temperature": log.temperature}, "imported": True},
        imported=True,
        state=RunState.FINISHED if played.is_whole else RunState.CANCELLED,
        reason=played.score.note if played.is_whole else broken_off,
        periods_played=played_periods,
        last_quality=played.outcomes[-1].quality,
        score=played.score.value,
        solved=played.score.solved,
        metrics=played.metrics,
        ended_at=timezone.now(),
        queries=len(log.calls),
        **_tokens(log.calls),
    )


def _play(run: Run, log: Log, played: Replay) -> None:
    by_period: dict[int, list[Call]] = {}
    for call in log.calls:
        by_period.setdefault(call.period, []).append(call)
    Period.objects.bulk_create(
        (
            Period(
                run=run,
                index=outcome.period,
                action=outcome.action,
                result=outcome.result,
                quality=outcome.quality,
                ended=outcome.ended,
                queries=len(by_period.get(outcome.period, ())),
                **_tokens(by_period.get(outcome.period, ())),
            )
            for outcome in played.outcomes
        ),
        batch_size=BATCH,
    )
    Exchange.objects.bulk_create((_exchange(run, call) for call in log.calls), batch_size=BATCH)
    Note.objects.bulk_create(_notes(run, log.calls), batch_size=BATCH)


def _exchange(run: Run, call: Call) -> Exchange:
    return Exchange(
        run=run,
        period_index=call.period,
        seat=call.seat,
        attempt=call.attempt,
        step=call.step,
        fence=0,
        state=ExchangeState.REPLIED,
        reply=call.reply.as_json(),
        results=None if call.results is None else [result.as_json() for result in call.results],
        **_tokens([call]),
    )


def _notes(run: Run, calls: Sequence[Call]) -> list[Note]:
    orders: Counter[tuple[int, str]] = Counter()
    notes = []
    for call in calls:
        for made in call.reply.calls:
            text = (made.arguments or {}).get("notes")
            if made.name == WRITE and isinstance(text, str) and text:
                place = (call.period, call.seat)
                notes.append(Note(run=run, period_index=place[0], seat=place[1], order=orders[place], text=text))
                orders[place] += 1
    return notes


def _tokens(calls: Sequence[Call]) -> dict[str, int]:
    return {name: sum(getattr(call.reply.usage, name) for call in calls) for name in TOKENS}


def _facts(log: Log) -> dict[str, str]:
    facts = dict(log.game.facts)
    if log.played_at:
        facts["Begun"] = f"{log.played_at:%d %B %Y, %H:%M}, by the name of its folder"
    if log.unread_calls:
        facts["Replies that could not be read"] = f"{log.unread_calls}"
    return facts
