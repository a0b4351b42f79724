"""The arguments of the commands `launch` and `estimate`, and the plan made from them."""

from argparse import ArgumentParser
from decimal import Decimal, InvalidOperation
from typing import Any

from accounts.models import Organization
from environments.generation import CUSTOM, GENERATORS
from environments.registry import ENVIRONMENTS
from infrastructure.money import nano
from runs.launching.adhoc import agent_from_text
from runs.launching.plan import LaunchPlan, parse_seeds
from runs.management.arguments import add_json_argument, add_settings_argument, fail, settings_from


def add_launch_arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("--environment", nargs="+", required=True, choices=list(ENVIRONMENTS), metavar="ENV")
    add("--difficulty", nargs="+", required=True, metavar="DIFFICULTY", help=f"BASIC, MEDIUM, HARD or {CUSTOM}")
    add("--seeds", required=True, help="for example 0-11 or 0,3,7")
    add("--agent", nargs="+", required=True, metavar="AGENT", help="a slug, or PROVIDER:MODEL[@BASE_URL]")
    add("--variant", nargs="+", default=["main"])
    add("--periods", type=int, help="length of the runs; default and maximum: as in the papers")
    add("--rival", metavar="AGENT", help="the agent in the second seat of a market of two")
    add("--generator", choices=list(GENERATORS), default="published")
    add("--reasoning-wording", choices=["auto", "on", "off"], default="auto")
    add("--budget", metavar="USD", help="the most that the experiment may cost")
    add("--run-budget", metavar="USD", help="the most that each run may cost")
    add("--stages", nargs="+", type=int, default=[], metavar="SEEDS", help="compare two agents in stages: 4 8 12")
    add("--points", type=float, help="the difference of two agents that the launch is planned to find")
    add("--name", default="")
    add("--api-key-env", default="", metavar="NAME", help="variable with the API key for ad hoc agents")
    add_json_argument(parser)
    add_settings_argument(parser)


def plan_from(options: dict[str, Any], organization: Organization) -> LaunchPlan:
    """Stores ad hoc agents. Raises LaunchError."""
    key = options["api_key_env"]
    return LaunchPlan(
        environments=tuple(dict.fromkeys(options["environment"])),
        difficulties=tuple(dict.fromkeys(options["difficulty"])),
        seeds=parse_seeds(options["seeds"]),
        agents=tuple(agent_from_text(text, organization, key) for text in options["agent"]),
        variants=tuple(dict.fromkeys(options["variant"])),
        periods=options["periods"],
        generator=options["generator"],
        settings=settings_from(options["environment"][0], options["set"], options["difficulty"]),
        reasoning_wording=options["reasoning_wording"],
        rival=agent_from_text(options["rival"], organization, key) if options["rival"] else None,
        run_budget_nano=nano_from(options["run_budget"], "--run-budget"),
        stages=tuple(options["stages"]),
        points=options["points"],
    )


def nano_from(budget: str | None, option: str) -> int | None:
    if budget is None:
        return None
    try:
        amount = Decimal(budget)
    except InvalidOperation:
        fail(f"{option} must be an amount in dollars, not {budget!r}.")
    if not 0 < amount <= 1_000_000:
        fail(f"{option} must be more than $0 and at most $1,000,000.")
    return nano(amount)
