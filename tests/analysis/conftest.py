"""Plain records for tables and figures, and rows for the pages."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from agents.baselines.registry import BASELINES
from agents.episode import play_baseline
from analysis.records import RunRecord
from environments.base import Environment
from environments.registry import ENVIRONMENTS, generate

numbers = count(1)


@pytest.fixture
def record() -> Callable[..., RunRecord]:
    """A finished run of an LLM on pricing BASIC, unless said otherwise; the seed is the instance."""

    def make(score: float | None = 0.5, **changes: Any) -> RunRecord:
        values: dict[str, Any] = {
            "run_id": next(numbers),
            "agent_id": 1,
            "agent_slug": "house",
            "agent_name": "House",
            "is_baseline": False,
            "environment": "pricing",
            "difficulty": "BASIC",
            "seed": 0,
            "state": "finished",
            "score": score,
            "solved": None,
        } | changes
        return RunRecord(**{"instance_id": values["seed"]} | values)

    return make


@pytest.fixture(scope="session")
def played() -> Callable[..., Environment]:
    """A whole run of a baseline, played once for all tests."""
    kept: dict[tuple[object, ...], Environment] = {}

    def play(environment: str, difficulty: str = "BASIC", baseline: str = "random", seed: int = 0) -> Environment:
        key = (environment, difficulty, baseline, seed)
        if key not in kept:
            instance = generate(environment, difficulty, seed)
            kept[key] = play_baseline(BASELINES[baseline], instance, ENVIRONMENTS[environment])
        return kept[key]

    return play


@pytest.fixture
def run_row(organization: Any, alice: Any) -> Callable[..., Any]:
    """A run in the database, finished on pricing BASIC unless said otherwise."""
    from runs.models import Agent, Experiment, Instance, Run

    def create(agent: str = "house", score: float | None = 0.5, **changes: Any) -> Any:
        owner = changes.pop("organization", organization)
        seed = changes.pop("seed", 0)
        problem = changes.pop("problem", None) or generate(
            changes.pop("environment", "pricing"),
            changes.pop("difficulty", "BASIC"),
            seed,
            changes.pop("generator", "published"),
            with_reference=False,
        )
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
        return Run.objects.create(organization=owner, experiment=experiment, instance=instance, agent=player, **options)

    return create


@pytest.fixture
def member(page: Any) -> Any:
    """A client of the organization's owner."""
    return page


@pytest.fixture
def other_organization(organization: Any) -> Any:
    from accounts.models import Organization

    return Organization.objects.create(name="Rivals", slug="rivals")
