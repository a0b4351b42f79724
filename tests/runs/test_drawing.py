"""A launch stores the recipes of instances; workers draw each instance once."""

import pytest

from environments.registry import generate
from runs.engine.advance import advance
from runs.models import Instance, Run
from tests.yardstick import times_as_long


@pytest.fixture
def launched(launch):
    """A run of pricing, BASIC, seed 0, not taken by a worker yet."""
    return lambda **options: launch("random", **options).runs.get()


def undrawn():
    return Instance.objects.filter(parameters=None).count()


def stored():
    return generate("pricing", "BASIC", 0)


@pytest.mark.long
def test_launching_a_thousand_hard_instances_is_faster_than_drawing_them(launch):
    """The launch takes about a fifth."""

    def launch_a_thousand():
        launch("random", environments=("scheduling",), difficulties=("HARD",), seeds=tuple(range(1000)))

    def draw_fifty():
        for seed in range(1000, 1050):
            generate("scheduling", "HARD", seed)

    assert times_as_long(launch_a_thousand, draw_fifty) < 20 / 2
    assert undrawn() == Run.objects.count() == 1000


def test_an_undrawn_instance_is_drawn_in_memory(launched):
    assert launched().instance.as_problem() == stored()
    assert undrawn() == 1


def test_the_first_worker_that_plays_an_instance_stores_it(launched):
    run = launched()
    advance(run.pk)
    row = Instance.objects.get()
    assert (undrawn(), row.drawn_here) == (0, False)
    assert row.as_problem() == stored() and row.content_hash == stored().content_hash
    assert Run.objects.get().state == "finished"


@pytest.mark.parametrize(
    ("columns", "shared"),
    [({}, True), ({"recipe": None}, True), ({"recipe": None, "content_hash": "altered in a log"}, False)],
    ids=["same recipe", "before recipes were stored", "other content"],
)
def test_launches_of_the_same_recipe_or_content_share_an_instance(launched, columns, shared):
    first = launched()
    advance(first.pk)
    if columns:
        Instance.objects.update(**columns)
    assert (launched().instance_id == first.instance_id) == shared


def test_a_concurrently_stored_equal_instance_does_not_stop_the_run(launched):
    run = launched()
    other = launched(seeds=(1,)).instance
    Instance.objects.filter(pk=other.pk).update(content_hash=stored().content_hash, recipe=None)
    advance(run.pk)
    run.refresh_from_db()
    assert run.state == "finished" and run.instance.as_problem() == stored() and not run.instance.drawn_here
