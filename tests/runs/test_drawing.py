"""A launch stores what instances are drawn from; workers draw them, once."""

from __future__ import annotations

import time
from typing import Any

import pytest

from environments.registry import generate
from runs.engine.advance import advance
from runs.models import Instance, Run

pytestmark = pytest.mark.django_db


@pytest.fixture
def launched(launch: Any) -> Any:
    """A run of pricing, BASIC, seed 0, not taken by a worker yet."""
    return lambda **options: launch("random", **options).runs.get()


def undrawn() -> int:
    return Instance.objects.filter(parameters=None).count()


def stored() -> Any:
    return generate("pricing", "BASIC", 0)


def test_a_launch_of_a_thousand_hard_instances_takes_less_than_a_second(launch: Any) -> None:
    """Of this process's own time, so that a busy machine does not count; drawing them takes eight seconds."""
    started = time.process_time()
    experiment = launch("random", environments=("scheduling",), difficulties=("HARD",), seeds=tuple(range(1000)))
    assert time.process_time() - started < 1
    assert experiment.runs.count() == undrawn() == 1000


def test_who_reads_it_before_sees_it_drawn(launched: Any) -> None:
    assert launched().instance.as_problem() == stored()
    assert undrawn() == 1


def test_the_worker_that_plays_it_first_stores_it(launched: Any) -> None:
    run = launched()
    advance(run.pk)
    row = Instance.objects.get()
    assert (undrawn(), row.drawn_here) == (0, False)
    assert row.as_problem() == stored() and row.content_hash == stored().content_hash
    assert Run.objects.get().state == "finished"


def test_launches_of_the_same_recipe_share_the_row(launched: Any) -> None:
    first = launched()
    advance(first.pk)
    assert launched().instance_id == launched().instance_id == first.instance_id


def test_a_row_from_before_recipes_were_stored_is_shared(launched: Any) -> None:
    first = launched()
    advance(first.pk)
    Instance.objects.update(recipe=None)
    assert launched().instance_id == first.instance_id


def test_a_row_of_the_same_seed_with_other_content_is_not(launched: Any) -> None:
    first = launched()
    advance(first.pk)
    Instance.objects.update(recipe=None, content_hash="altered in a log")
    assert launched().instance_id != first.instance_id


def test_the_same_instance_stored_meanwhile_stops_no_run(launched: Any) -> None:
    run = launched()
    other = launched(seeds=(1,)).instance
    Instance.objects.filter(pk=other.pk).update(content_hash=stored().content_hash, recipe=None)
    advance(run.pk)
    run.refresh_from_db()
    assert run.state == "finished" and run.instance.as_problem() == stored() and not run.instance.drawn_here
