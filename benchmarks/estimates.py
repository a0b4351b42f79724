"""Compares the estimates of launches with runs: every preset is estimated, then played by the scripted model of the tests.

    python -m benchmarks estimates [--seeds 0,5,11] [--preset SLUG ...]

Runs are played in memory, and requests pass through the providers' wire formats. Tokens are counted as the stub provider
of the tests counts them. Without --seeds every seed of a preset is played. Takes about ten minutes.
"""

import json
from typing import Any

from benchmarks.harness import Spent, spending
from benchmarks.own_site import first_owner
from environments.generation import CUSTOM, base_of
from environments.registry import ENVIRONMENTS, GENERATION, generate
from infrastructure.processes.memory import settle_memory
from runs.engine.players import options_of
from runs.estimating.estimates import estimate
from runs.launching.plan import LaunchPlan, PlannedRun, parse_seeds
from runs.launching.presets import PRESETS
from runs.models import Agent
from tests.preset_plans import plan_of
from tests.scripted_model import ScriptedModel, play_run

AGENTS = ("gpt-4-1", "claude-4-5-sonnet")
"""Slugs of the agents: one for each of two wire formats."""

TOKENS: dict[tuple[object, ...], int] = {}


def tokens_of_run(plan: LaunchPlan, run: PlannedRun) -> int:
    """Return the input tokens of a run. A run that several presets share is played only once."""
    settings = plan.settings_of(run.environment, run.difficulty) if base_of(run.difficulty) == CUSTOM else None
    key = (run.environment, run.difficulty, run.seed, run.variant, run.agent.slug, json.dumps(settings))
    if key not in TOKENS:
        instance = generate(run.environment, run.difficulty, run.seed, settings=settings, with_reference=False)
        model = ScriptedModel(options_of(run.agent))
        play_run(instance, model, variant=run.variant, reasoning=plan.reasoning_for(run.agent))
        TOKENS[key] = model.usage.input_tokens
    return TOKENS[key]


def print_error(preset: Any, organization: Any, seeds: tuple[int, ...] | None) -> None:
    """Print the estimated and the played input tokens of a preset, and the seconds of the estimate."""
    plan = plan_of(preset, organization, *AGENTS)
    runs = [run for run in plan.runs if seeds is None or run.seed in seeds or len(plan.seeds) == 1]
    with spending() as spent:
        expected = estimate(plan, organization).input_tokens.expected * len(runs) / len(plan.runs)
    played_tokens = sum(tokens_of_run(plan, run) for run in runs)
    tokens = (
        f"estimated {expected:>13,.0f}  played {played_tokens:>13,}  {100 * (expected / played_tokens - 1):+6.1f} %"
    )
    print(f"{preset.slug:16} {len(runs):4} runs  {tokens}  {spent.seconds:.3f} s")


def whole_matrix(organization: Any) -> Spent:
    """Estimate all environments, difficulties and models with 12 seeds, with empty caches."""
    levels = dict.fromkeys(name for generation in GENERATION.values() for name in generation.difficulties)
    models = Agent.objects.filter(organization=organization, baseline="").select_related("endpoint")
    plan = LaunchPlan(tuple(ENVIRONMENTS), tuple(levels), tuple(range(12)), tuple(models))
    settle_memory()  # as the server does at its start
    with spending() as spent:
        estimate(plan, organization)
    return spent


def main(*, seeds: str = "", preset: tuple[str, ...] = ()) -> None:
    organization = first_owner().organization
    matrix = whole_matrix(organization)
    print("Estimate of all environments, difficulties and models with 12 seeds, nothing kept yet:")
    print(f"{matrix.seconds:.2f} s, {matrix.processor:.2f} s of the processor")
    for row in PRESETS:
        if not preset or row.slug in preset:
            print_error(row, organization, parse_seeds(seeds) if seeds else None)
