"""A stored launch (LaunchPlan.as_spec) in other forms: a plan, a command line, an API request."""

import json
import shlex
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from accounts.models import Organization
from environments.generation import CUSTOM
from infrastructure.money import NANO
from runs.launching.checks import designs_called
from runs.launching.fields import FIELDS
from runs.launching.plan import LaunchError, LaunchPlan, parse_seeds, plays
from runs.models import Agent
from runs.selectors.designs import prompts_named

DEFAULTS: Mapping[str, Any] = {"variants": ["main"]} | {name: info.default for name, info in FIELDS.items()}
SAME = ("environments", "difficulties", "seeds", "agents", "variants", "rival", *FIELDS)
"""Fields of a spec that the API names and writes alike."""
OPTIONS = {
    "environments": "environment",
    "difficulties": "difficulty",
    "agents": "agent",
    "variants": "variant",
    "budget_usd": "budget",
    "run_budget_usd": "run-budget",
    "settings": "set",
}
"""Names of the options of the command line, by field of the API, where they differ."""


def option_of(field: str) -> str:
    return f"--{OPTIONS.get(field, field.replace('_', '-'))}"


def spec_as_plan(spec: Mapping[str, Any], organization: Organization) -> LaunchPlan:
    """The plan of a spec, with agents found by slug. Raises LaunchError with a sentence for each wrong field."""
    slugs = [*spec["agents"], spec["rival"]]
    agents = Agent.objects.filter(Agent.playable(), organization=organization, slug__in=slugs)
    by_slug = {agent.slug: agent for agent in agents.select_related("endpoint")}
    errors = {}
    if absent := [slug for slug in spec["agents"] if slug not in by_slug]:
        errors["agents"] = f"There is no agent {absent[0][:100]!r} here."
    if spec["rival"] and spec["rival"] not in by_slug:
        errors["rival"] = "Choose one of your agents for the second seat."
    try:
        seeds = parse_seeds(spec["seeds"])
    except LaunchError as error:
        errors |= error.errors
    if errors:
        raise LaunchError(errors)
    return LaunchPlan(
        environments=tuple(spec["environments"]),
        difficulties=tuple(spec["difficulties"]),
        seeds=seeds,
        agents=tuple(by_slug[slug] for slug in dict.fromkeys(spec["agents"])),
        variants=tuple(spec["variants"]),
        settings=spec["settings"],
        rival=by_slug[spec["rival"]] if spec["rival"] else None,
        run_budget_nano=spec["run_budget_nano"],
        stages=tuple(spec.get("stages", ())),
        designs=designs_called(organization, spec["difficulties"]),
        prompts=prompts_named(organization=organization, variants=spec["variants"]),
        **{name: spec[name] for name in FIELDS if name in spec},
    )


def plan_as_command(plan: LaunchPlan, name: str = "", budget_nano: int | None = None) -> str:
    """The launch as a command line. Agents that play none of the environments are left out."""
    agents = [agent.slug for agent in plan.agents if any(plays(agent, name) for name in plan.environments)]
    return spec_as_command(plan.as_spec() | {"agents": agents}, name, budget_nano)


def spec_as_command(spec: Mapping[str, Any], name: str = "", budget_nano: int | None = None) -> str:
    arguments = ["bin/econevals", "launch"]
    for key, value in _named_fields(spec, name, budget_nano).items():
        values = [] if value is True else value if isinstance(value, list) else [value]
        if key == "settings":
            arguments += [word for setting, number in value.items() for word in ("--set", f"{setting}={number}")]
        else:
            arguments += [option_of(key), *map(_word, values)]
    return shlex.join(arguments)


def _word(value: Any) -> str:
    return f"{value:f}" if isinstance(value, Decimal) else f"{value:g}" if isinstance(value, float) else str(value)


def spec_as_request(spec: Mapping[str, Any], name: str = "", budget_nano: int | None = None) -> dict[str, Any]:
    """The body of the API request for the same launch. Fields with default values are left out."""
    fields = _named_fields(spec, name, budget_nano)
    return {key: float(value) if isinstance(value, Decimal) else value for key, value in fields.items()}


def _named_fields(spec: Mapping[str, Any], name: str, budget_nano: int | None) -> dict[str, Any]:
    """The fields of the API that differ from their defaults, by name. Amounts are in dollars."""
    fields = {key: spec.get(key) for key in SAME if spec.get(key) not in (None, DEFAULTS.get(key))}
    if spec.get("stages"):
        fields["stages"] = spec["stages"]
    if CUSTOM in spec["difficulties"] and spec.get("settings"):
        fields["settings"] = spec["settings"]
    budgets = {"budget_usd": budget_nano, "run_budget_usd": spec.get("run_budget_nano")}
    fields |= {key: Decimal(nano) / NANO for key, nano in budgets.items() if nano is not None}
    return fields | ({"name": name} if name else {})


def request_as_curl(body: Mapping[str, Any], address: str, key: str) -> str:
    """The request as a curl command, for a shell in which TOKEN is set."""
    return " \\\n  ".join(
        (
            f"curl {shlex.quote(address)}",
            '-H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json"',
            f'-H "Idempotency-Key: {key}"',
            f"-d {shlex.quote(json.dumps(body, ensure_ascii=False))}",
        )
    )
