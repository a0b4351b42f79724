"""How far estimates of launches are off: every preset estimated, then played by the scripted player of the tests.

python benchmarks/estimates.py [--seeds 0,5,11] [--preset SLUG ...] [--json]

The runs are played by the pure loop through the providers' wire formats; the tokens counted are those of the tests'
stub provider. Without --seeds every seed of a preset is played. Takes about ten minutes.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from datetime import date
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ["ECONEVALS_DATA_DIR"] = tempfile.mkdtemp(prefix="econevals-benchmark.")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "econevals_site.settings")

import django  # noqa: E402

django.setup()

from django.core.management import call_command  # noqa: E402

from environments.generation import CUSTOM, base_of  # noqa: E402
from environments.registry import generate  # noqa: E402
from infrastructure.processes.memory import settle_memory  # noqa: E402
from runs import catalog  # noqa: E402
from runs.bootstrap import ensure_organization  # noqa: E402
from runs.engine.players import options_of  # noqa: E402
from runs.estimating.estimates import estimate  # noqa: E402
from runs.launching.plan import LaunchPlan, PlannedRun, parse_seeds  # noqa: E402
from runs.launching.presets import PRESETS  # noqa: E402
from runs.models import Agent  # noqa: E402
from tests.preset_plans import plan_of  # noqa: E402
from tests.scripted_model import ScriptedModel, play_run  # noqa: E402

catalog.today = lambda: date(2025, 1, 1)  # No model is called, so retired ones serve as well.

AGENTS = ("gpt-4-1", "claude-4-5-sonnet")
"""One of each wire format."""

PLAYED: dict[tuple[object, ...], tuple[int, int]] = {}


def cost_of_run(plan: LaunchPlan, run: PlannedRun) -> tuple[int, int]:
    """Calls and input tokens of a run; games that several presets share are played once."""
    settings = plan.settings_of(run.environment, run.difficulty) if base_of(run.difficulty) == CUSTOM else None
    key = (run.environment, run.difficulty, run.seed, run.variant, run.agent.slug, json.dumps(settings))
    if key not in PLAYED:
        instance = generate(run.environment, run.difficulty, run.seed, settings=settings, with_reference=False)
        model = ScriptedModel(options_of(run.agent))
        play_run(instance, model, variant=run.variant, reasoning=plan.reasoning_for(run.agent))
        PLAYED[key] = (model.calls, model.usage.input_tokens)
    return PLAYED[key]


def measured(preset: Any, organization: Any, seeds: tuple[int, ...] | None) -> dict[str, Any]:
    plan = plan_of(preset, organization, *AGENTS)
    runs = [run for run in plan.runs if seeds is None or run.seed in seeds or len(plan.seeds) == 1]
    share = len(plan.runs) / len(runs)
    started = time.perf_counter()
    estimated = estimate(plan, organization)
    seconds = time.perf_counter() - started
    sums = [sum(numbers) for numbers in zip(*(cost_of_run(plan, run) for run in runs), strict=True)]
    error = estimated.input_tokens.expected / share / sums[1] - 1
    return {
        "preset": preset.slug,
        "runs": len(runs),
        "calls_estimated": round(estimated.calls / share),
        "calls_played": sums[0],
        "input_estimated": round(estimated.input_tokens.expected / share),
        "input_played": sums[1],
        "error_percent": round(100 * error, 1),
        "estimate_seconds": round(seconds, 3),
    }


def whole_matrix(organization: Any) -> tuple[float, float]:
    """Seconds, and those of the processor, for all environments, difficulties and models with 12 seeds, in a process that
    has estimated nothing."""
    from environments.registry import ENVIRONMENTS, GENERATION

    levels = dict.fromkeys(name for generation in GENERATION.values() for name in generation.difficulties)
    models = Agent.objects.filter(organization=organization, baseline="").select_related("endpoint")
    plan = LaunchPlan(tuple(ENVIRONMENTS), tuple(levels), tuple(range(12)), tuple(models))
    settle_memory()  # as the server does at its start
    started, processor = time.perf_counter(), time.process_time()
    estimate(plan, organization)
    return time.perf_counter() - started, time.process_time() - processor


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", help="play only these of each preset's seeds, for example 0,5,11")
    parser.add_argument("--preset", nargs="+", choices=[preset.slug for preset in PRESETS])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    call_command("migrate", verbosity=0, interactive=False)
    organization, _ = ensure_organization(allow_environment_keys=False)
    seeds = parse_seeds(options.seeds) if options.seeds else None
    matrix, processor = whole_matrix(organization)
    rows = [
        measured(preset, organization, seeds)
        for preset in PRESETS
        if options.preset is None or preset.slug in options.preset
    ]
    if options.json:
        seconds = {"whole_matrix_seconds": matrix, "processor_seconds": processor}
        print(json.dumps(seconds | {"presets": rows}, indent=1))
        return
    print("Estimate of all environments, difficulties and models with 12 seeds, nothing kept yet:")
    print(f"{matrix:.2f} s, {processor:.2f} s of the processor")
    for row in rows:
        print(
            f"{row['preset']:16} {row['runs']:4} runs  estimated {row['input_estimated']:>13,}  played "
            f"{row['input_played']:>13,}  {row['error_percent']:+6.1f} %  {row['estimate_seconds']:.3f} s"
        )


if __name__ == "__main__":
    main()
