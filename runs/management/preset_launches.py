"""The experiments that `launch` and `estimate` describe: one, or those of a preset."""

from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import transaction

from accounts.models import Organization
from runs.launching.plan import LaunchError, LaunchPlan
from runs.launching.presets import BY_SLUG, Preset, parts_of
from runs.management.launches import add_launch_arguments, default_organization, fail, launch_from
from runs.models import Agent

Result = TypeVar("Result")


@dataclass(frozen=True)
class Part:
    """An experiment of a launch. title: of its preset, empty without one; left_out: by the scale, in words"""

    title: str
    plan: LaunchPlan
    name: str
    budget_nano: int | None
    left_out: str = ""


def add_arguments(parser: ArgumentParser) -> None:
    add_launch_arguments(parser)
    slugs = ", ".join(BY_SLUG)
    parser.add_argument(
        "--preset",
        choices=list(BY_SLUG),
        metavar="PRESET",
        help=f"{slugs}; `paper` is every experiment of the newest paper. Options beside it replace its values, and "
        "without --agent all baselines play",
    )
    parser.add_argument(
        "--scale",
        type=float,
        metavar="SHARE",
        help="share of the seeds of a preset, or of the repetitions of its questions, such as 0.25; at least one",
    )


def parts_from(options: dict[str, Any], organization: Organization) -> list[Part]:
    """The experiments of a launch. Stores new agents. Raises LaunchError with the sentences of all experiments."""
    slug, scale = options["preset"], options["scale"]
    if slug is None:
        if scale is not None:
            fail("--scale goes with --preset.")
        return [Part("", *launch_from(options, organization))]
    if options["file"]:
        fail("Give a file or --preset, not both.")
    if options["seeds"] and scale is not None:
        fail("Give --seeds or --scale, not both.")
    if scale is not None and not 0 < scale <= 1:
        fail("--scale is more than 0 and at most 1.")
    parts: list[Part] = []
    errors: dict[str, str] = {}
    presets = parts_of(slug)
    for preset in presets:
        smaller, left_out = preset.scaled(1 if scale is None else scale)
        try:
            plan, name, budget_nano = launch_from(_filled(options, smaller, organization), organization)
        except LaunchError as error:
            errors |= {f"{preset.slug}.{field}": f"{preset.title}: {text}" for field, text in error.errors.items()}
        else:
            name = f"{name}: {preset.title}" if name and len(presets) > 1 else name or preset.title
            parts.append(Part(preset.title, plan, name, budget_nano, left_out))
    if errors:
        raise LaunchError(errors)
    return parts


def of_planned_parts(
    options: dict[str, Any], compute: Callable[[LaunchPlan, Organization], Result]
) -> list[tuple[Part, Result]]:
    """What `compute` returns for each experiment of a launch that is not made. Raises LaunchError."""
    organization = default_organization()
    with transaction.atomic():
        results = [(part, compute(part.plan, organization)) for part in parts_from(options, organization)]
        # Nothing is launched, so agents that the plans created are rolled back.
        transaction.set_rollback(True)
    return results


def _filled(options: dict[str, Any], preset: Preset, organization: Organization) -> dict[str, Any]:
    """The options of a launch, with the values of the preset where none is given and all baselines without agents."""
    values = {name: list(value) if isinstance(value, tuple) else value for name, value in preset.values.items()}
    prefix = f"custom_{preset.values['environments'][0]}_"
    custom = [f"{name.removeprefix(prefix)}={value}" for name, value in values.items() if name.startswith(prefix)]
    filled = options | {name: options[name] or value for name, value in values.items() if name in options and value}
    if not filled["agents"]:
        baselines = Agent.objects.filter(organization=organization, archived_at=None).exclude(baseline="")
        filled["agents"] = list(baselines.order_by("id").values_list("slug", flat=True))
    # Later pairs replace earlier ones.
    return filled | {"set": [*custom, *options["set"]]}
