"""The cast of the page tests: experiments in every state."""

from datetime import timedelta

import pytest

from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubProvider


def experiment_page(page, experiment):
    """The text of the page of an experiment."""
    return page.get(f"/experiments/{experiment.pk}/").text


@pytest.fixture
def painted(launch):
    """An experiment whose runs are set, in turn, to states a worker would leave them in; nothing is played."""

    def paint(*slugs, states=STATES, **options):
        from django.utils import timezone

        from runs.models import Run

        experiment = launch(*slugs, **options)
        runs = list(experiment.runs.order_by("id"))
        begun = timezone.now() - timedelta(hours=1)
        for place, run in enumerate(runs):
            run.state = states[place % len(states)]
            if run.state != "queued":
                run.started_at, run.progressed_at = begun, begun + timedelta(minutes=30)
                run.periods_played, run.last_quality = run.periods // 2, 0.5
            if run.state == "finished":
                run.periods_played, run.score, run.ended_at = run.periods, 0.9, run.progressed_at
            if run.state in {"waiting", "paused", "stalled", "errored"}:
                run.reason = f"The reason of a {run.state} run."
        changed = "state started_at progressed_at periods_played last_quality score ended_at reason"
        Run.objects.bulk_update(runs, changed.split(), batch_size=500)
        return experiment

    return paint


STATES = ("finished", "running", "queued", "waiting", "paused", "errored", "stalled", "cancelled")


@pytest.fixture
def billed(launch, organization):
    """An experiment of a model with calls in every state, booked as the engine books them; nothing is sent."""

    def bill(*slugs, calls=OUTCOMES, **options):
        from django.utils import timezone

        from runs.models import Exchange, Experiment, MonthlySpend, Run
        from runs.services.budgets import month_row

        experiment = launch(*(slugs or ("gpt-5",)), **options)
        booked = reserved = 0
        for run in experiment.runs.select_related("agent"):
            if run.agent.is_baseline:
                continue
            rows = [_call(run, place, state) for place, state in enumerate(calls)]
            Exchange.objects.bulk_create(rows)
            sums = sum(row.cost_nano for row in rows), sum(row.reserved_nano for row in rows if row.state == "sent")
            Run.objects.filter(pk=run.pk).update(
                cost_nano=sums[0],
                reserved_nano=sums[1],
                queries=sum(row.state == "replied" for row in rows),
                progressed_at=timezone.now(),
                started_at=timezone.now(),
            )
            booked, reserved = booked + sums[0], reserved + sums[1]
        Experiment.objects.filter(pk=experiment.pk).update(cost_nano=booked, reserved_nano=reserved)
        for user in (None, experiment.created_by_id):
            row = month_row(organization, user)
            totals = {"cost_nano": row.cost_nano + booked, "reserved_nano": row.reserved_nano + reserved}
            MonthlySpend.objects.filter(pk=row.pk).update(**totals)
        experiment.refresh_from_db()
        return experiment

    return bill


OUTCOMES = ("replied", "failed", "unknown", "lost", "late", "sent")
RESERVED, COST = 400_000_000, 20_000_000


def _call(run, place, state):
    from runs.models import Exchange

    booked = {"replied": COST, "late": COST, "unknown": RESERVED, "lost": RESERVED}.get(state, 0)
    tokens = {"input_tokens": 9_000, "cached_tokens": 4_000, "output_tokens": 500} if booked == COST else {}
    return Exchange(
        run=run, agent=run.agent, period_index=0, seat="seat_0", attempt=0, step=place, fence=1, state=state,
        error="" if state in {"replied", "sent"} else f"=The provider said {state}.",
        reply={"text": "Hm.", "calls": [], "stop": "end"} if booked == COST else None,
        reserved_nano=RESERVED, cost_nano=booked, **tokens,
    )  # fmt: skip


@pytest.fixture
def stub():
    """A provider whose model plays every game."""
    with StubProvider(ScriptedPlayer()) as stub:
        yield stub
