"""Writes events and their deliveries, in the transaction of the change that they report.

Without webhooks this takes one query for each run that ends and each budget alert, and none for a model call.
"""

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from infrastructure.transactions import ROWS_AT_ONCE
from runs.models import Agent, BudgetAlert, Experiment, Run, RunState
from runs.models.runs import ENDED
from workspace.webhooks import payloads
from workspace.webhooks.delivery.dispatcher import wake_dispatcher
from workspace.webhooks.models import Delivery, Event, EventKind, Webhook

KIND_OF_STATE = {
    RunState.FINISHED: EventKind.RUN_FINISHED,
    RunState.STALLED: EventKind.RUN_FAILED,
    RunState.ERRORED: EventKind.RUN_FAILED,
    RunState.PAUSED: EventKind.RUN_PAUSED,
}

RELATED = ("organization", "experiment", "instance", "agent", "rival")
UNUSED = ("instance__parameters", "instance__hidden", "instance__reference", "metrics", "experiment__spec")


def notify_of_runs(run_ids: Sequence[int]) -> None:
    """Write the events of runs of one organization that just ended or paused.

    A listener of `events.runs_stopped`, which is called once for each change, in the transaction that changed the
    states.
    """
    if not run_ids:
        return
    hooks = list(Webhook.objects.filter(organization__runs=run_ids[0], paused_at=None))
    subscribed_kinds = {kind for hook in hooks for kind in hook.events}
    if not subscribed_kinds & (set(KIND_OF_STATE.values()) | {EventKind.EXPERIMENT_FINISHED}):
        return
    new: list[Event] = []
    ended: set[int] = set()
    for first in range(0, len(run_ids), ROWS_AT_ONCE):
        rows = Run.objects.filter(pk__in=run_ids[first : first + ROWS_AT_ONCE]).order_by("id")
        for run in rows.select_related(*RELATED).defer(*UNUSED):
            if run.state in ENDED:
                ended.add(run.experiment_id)
            kind = KIND_OF_STATE.get(RunState(run.state))
            if kind is not None and kind in subscribed_kinds:
                new.append(payloads.event(run.organization, kind, payloads.run_data(run), run.experiment_id))
    if EventKind.EXPERIMENT_FINISHED in subscribed_kinds:
        # Two last runs may end at the same moment. The lock on their experiment lets the second one see both ends.
        # All code locks runs first, then experiments, then the spending of months.
        experiments = Experiment.objects.select_for_update(of=("self",), no_key=True).select_related("organization")
        new += [
            payloads.event(
                *(experiment.organization, EventKind.EXPERIMENT_FINISHED, payloads.experiment_data(experiment)),
                experiment.pk,
            )
            for experiment in experiments.filter(pk__in=ended).order_by("id")
            if not experiment.runs.exclude(state__in=ENDED).exists()
        ]
    _write(new, hooks)


def notify_of_alert(alert: BudgetAlert) -> None:
    """Write the event of a budget alert. A listener of `events.budget_warned`, called in the alert's transaction."""
    if hooks := _subscribers(alert.organization_id, EventKind.BUDGET_ALERT):
        experiment_id = alert.run.experiment_id if alert.run else alert.experiment_id
        _write(
            [payloads.event(alert.organization, EventKind.BUDGET_ALERT, payloads.alert_data(alert), experiment_id)],
            hooks,
        )


def notify_of_drift(*, agent: Agent, experiment: Experiment | None, watch: dict[str, Any]) -> None:
    """Write the event of a watch's notice, in the notice's transaction. watch: as in payloads.drift_data"""
    if hooks := _subscribers(agent.organization_id, EventKind.DRIFT_NOTICED):
        _write(
            [
                payloads.event(
                    agent.organization,
                    EventKind.DRIFT_NOTICED,
                    payloads.drift_data(agent, experiment, watch),
                    experiment.pk if experiment else None,
                )
            ],
            hooks,
        )


def _subscribers(organization_id: int, kind: EventKind) -> list[Webhook]:
    return [
        hook for hook in Webhook.objects.filter(organization=organization_id, paused_at=None) if kind in hook.events
    ]


def _write(events: Sequence[Event], hooks: Sequence[Webhook]) -> None:
    deliveries: list[Any] = [
        Delivery(webhook=hook, event=event, due_at=Now())
        for event in events
        for hook in hooks
        if event.kind in hook.events
    ]
    if deliveries:
        Event.objects.bulk_create(events, batch_size=ROWS_AT_ONCE)
        Delivery.objects.bulk_create(deliveries, batch_size=ROWS_AT_ONCE)
        transaction.on_commit(wake_dispatcher)
