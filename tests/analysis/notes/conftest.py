"""Runs with notes and replies, and a worker's part."""

import pytest

from analysis.notes.models import NotesAnalysis, claims
from analysis.notes.search.indexing import index_for
from analysis.notes.study.work import ANALYSES
from environments.registry import generate


@pytest.fixture
def run_with(organization, alice):
    """A finished run with notes by period, and replies by period."""
    from runs.models import Agent, Exchange, Experiment, Instance, Note, Run

    def create(notes=(), replies=(), *, agent="house", environment="pricing", difficulty="BASIC", seed=0, **changes):
        owner = changes.pop("organization", organization)
        problem = generate(environment, difficulty, seed, with_reference=False)
        names = ("environment", "difficulty", "seed", "generator", "settings", "parameters", "hidden", "reference")
        values = {name: getattr(problem, name) for name in names}
        instance, _ = Instance.objects.get_or_create(
            organization=owner, content_hash=problem.content_hash, defaults=values
        )
        player, _ = Agent.objects.get_or_create(
            organization=owner, slug=agent, defaults={"name": agent.title(), "model": "house-1"}
        )
        experiment, _ = Experiment.objects.get_or_create(
            organization=owner, name="Talkative", defaults={"spec": {}, "created_by": alice}
        )
        periods = max(len(notes), len(replies), 1)
        usual = {
            "state": "finished", "score": 0.5, "prompt_version": "1", "config": {}, "periods_played": periods,
            "periods": periods, "queries": len(replies),
        }  # fmt: skip
        run = Run.objects.create(
            organization=owner, experiment=experiment, instance=instance, agent=player, **usual | changes
        )
        Note.objects.bulk_create(
            Note(run=run, period_index=period, seat="seat_0", order=0, text=text)
            for period, text in enumerate(notes)
            if text
        )
        Exchange.objects.bulk_create(
            Exchange(
                run=run, agent=player, period_index=period, seat="seat_0", attempt=0, step=0, fence=1,
                state="replied", reply=reply,
            )
            for period, reply in enumerate(replies)
        )  # fmt: skip
        return run

    return create


@pytest.fixture
def indexed():
    """Write the index as a worker does, to the end."""

    def write():
        while index_for(60):
            pass

    return write


@pytest.fixture(autouse=True)
def _no_claims_left(organization):
    """Before the database is closed to the heartbeat, which renews those that a test did not give back."""
    yield
    claims.held.clear()


@pytest.fixture
def computed():
    """Compute waiting analyses as a worker does, and return the newest."""

    def compute():
        while ANALYSES.work_next():
            pass
        return NotesAnalysis.objects.latest("id")

    return compute
