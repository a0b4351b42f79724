"""Plain records for tables and figures, and rows for the pages."""

import re
from itertools import count

import pytest

from analysis.base.table import RunRecord
from environments.registry import generate
from tests.figures import baseline_run  # noqa: F401

numbers = count(1)


def run_record(score=0.5, **changes):
    """A finished run of an LLM on pricing BASIC by default; the seed is the instance."""
    values = {
        "run_id": next(numbers), "agent_id": 1, "agent_slug": "house", "agent_name": "House", "is_baseline": False,
        "environment": "pricing", "difficulty": "BASIC", "seed": 0, "state": "finished", "score": score,
    } | changes  # fmt: skip
    return RunRecord(**{"instance_id": values["seed"]} | values)


def without_filters(response):
    """The page without its filters, which name every agent."""
    return re.sub(r'<form class="board-filters".*?</form>', "", response.text, flags=re.DOTALL)


@pytest.fixture
def record():
    return run_record


@pytest.fixture
def run_row(organization, alice):
    """A run in the database, by default finished on pricing BASIC."""
    from runs.metric_series import series_store, without_series
    from runs.models import Agent, Experiment, Instance, Run

    def create(agent="house", score=0.5, **changes):
        owner = changes.pop("organization", organization)
        usual = {"environment": "pricing", "difficulty": "BASIC", "seed": 0, "generator": "published"}
        asked = [changes.pop(name, value) for name, value in usual.items()]
        problem = changes.pop("problem", None) or generate(*asked, with_reference=False)
        names = ("environment", "difficulty", "seed", "generator", "settings", "parameters", "hidden", "reference")
        values = {name: getattr(problem, name) for name in names}
        instance, _ = Instance.objects.get_or_create(
            organization=owner, content_hash=problem.content_hash, defaults=values
        )
        player, _ = Agent.objects.get_or_create(
            organization=owner, slug=agent, defaults={"name": changes.pop("name", agent), "model": "house-1"}
        )
        experiment, _ = Experiment.objects.get_or_create(
            organization=owner, name="Paper benchmark", defaults={"spec": {}, "created_by": alice}
        )
        options = {"state": "finished", "score": score, "prompt_version": "1", "config": {}} | changes
        metrics = options.get("metrics")
        options["metrics"] = without_series(metrics)
        run = Run.objects.create(organization=owner, experiment=experiment, instance=instance, agent=player, **options)
        series_store(run_id=run.pk, metrics=metrics)
        return run

    return create
