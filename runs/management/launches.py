"""The arguments of the commands `launch`, `estimate` and `seeds`, and the launch that they describe."""

from argparse import ArgumentParser
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from accounts.models import Organization
from environments.generation import CUSTOM, DESIGN, GENERATORS
from environments.registry import ENVIRONMENTS
from infrastructure.money import nano
from runs.launching.adhoc import agent_from_text
from runs.launching.difficulties import designs_called
from runs.launching.files import MOST_BYTES, read_launch
from runs.launching.plan import LaunchPlan, parse_seeds
from runs.launching.request import request_as_plan
from runs.management.arguments import add_json_argument, add_settings_argument, fail, settings_from
from runs.models.experiments import PRIORITIES
from runs.selectors.prompts import prompts_named

MATRIX = ("environment", "difficulty", "seeds", "agent")
"""What a launch without a file has to name."""

OF_THE_FILE = (
    *MATRIX,
    *("variant", "periods", "rival", "generator", "reasoning_wording"),
    *("budget", "run_budget", "stages", "points", "priority", "runs_at_once", "batch", "flex", "name", "set"),
)
"""Options that are fields of a file."""


def add_launch_arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("file", nargs="?", type=Path, metavar="FILE", help="a launch in YAML, instead of the options below")
    add("--environment", nargs="+", choices=list(ENVIRONMENTS), metavar="ENV", help=", ".join(ENVIRONMENTS))
    add(
        "--difficulty",
        nargs="+",
        metavar="DIFFICULTY",
        help=f"BASIC, MEDIUM, HARD, {CUSTOM} or {DESIGN}SLUG of a design",
    )
    add("--seeds", help="for example 0-11 or 0,3,7")
    add("--agent", nargs="+", metavar="AGENT", help="a slug, or PROVIDER:MODEL[@BASE_URL]")
    add("--variant", nargs="+", help="default: main; of an own prompt such as main+concise")
    add("--periods", type=int, help="length of the runs; default and maximum: as in the papers")
    add("--rival", metavar="AGENT", help="the agent in the second seat of a market of two")
    add("--generator", choices=list(GENERATORS), help="default: published")
    add("--reasoning-wording", choices=["auto", "on", "off"], help="default: auto")
    add("--budget", metavar="USD", help="the most that the experiment may cost")
    add("--run-budget", metavar="USD", help="the most that each run may cost")
    add("--stages", nargs="+", type=int, default=[], metavar="SEEDS", help="compare two agents in stages: 4 8 12")
    add("--points", type=float, help="the difference of two agents that the launch is planned to find")
    add("--priority", choices=list(PRIORITIES), help="among the experiments of the organization; default: normal")
    add("--runs-at-once", type=int, metavar="RUNS", help="the most that are played at the same time")
    add(
        "--batch",
        action="store_const",
        const=True,
        help="ask models by the batches of their makers: half the price, up to 24 hours for each batch",
    )
    add(
        "--flex",
        action="store_const",
        const=True,
        help="ask models by the service tier flex: half the price, slower",
    )
    add("--name", default="")
    add("--api-key-env", default="", metavar="NAME", help="variable with the API key for ad hoc agents")
    add_json_argument(parser)
    add_settings_argument(parser)


def launch_from(options: dict[str, Any], organization: Organization) -> tuple[LaunchPlan, str, int | None]:
    """Plan, name and budget of the experiment. Stores ad hoc agents. Raises LaunchError."""
    key = options["api_key_env"]
    if options["file"]:
        return _launch_of_file(options, organization)
    if missing := [f"--{name}" for name in MATRIX if not options[name]]:
        fail(f"Give a file, or {', '.join(missing)}.")
    plan = LaunchPlan(
        environments=tuple(dict.fromkeys(options["environment"])),
        difficulties=tuple(dict.fromkeys(options["difficulty"])),
        seeds=parse_seeds(options["seeds"]),
        agents=tuple(agent_from_text(text, organization, key) for text in options["agent"]),
        variants=tuple(dict.fromkeys(options["variant"] or ["main"])),
        periods=options["periods"],
        generator=options["generator"] or "published",
        settings=settings_from(options["environment"][0], options["set"], options["difficulty"]),
        reasoning_wording=options["reasoning_wording"] or "auto",
        rival=agent_from_text(options["rival"], organization, key) if options["rival"] else None,
        run_budget_nano=nano_from(options["run_budget"], "--run-budget"),
        stages=tuple(options["stages"]),
        points=options["points"],
        priority=options["priority"] or "normal",
        runs_at_once=options["runs_at_once"],
        batch=bool(options["batch"]),
        flex=bool(options["flex"]),
        designs=designs_called(organization, options["difficulty"]),
        prompts=prompts_named(organization=organization, variants=options["variant"] or ()),
    )
    return plan, options["name"], nano_from(options["budget"], "--budget")


def _launch_of_file(options: dict[str, Any], organization: Organization) -> tuple[LaunchPlan, str, int | None]:
    for name in OF_THE_FILE:
        if options[name] not in (None, "", []):
            fail(f"Write it into the file instead of giving --{name.replace('_', '-')} beside it.")
    try:
        with options["file"].open("rb") as file:
            body = read_launch(file.read(MOST_BYTES + 1))
    except OSError as error:
        fail(f"{options['file']} cannot be read: {error.strerror}.")
    key = options["api_key_env"]
    body.agents = [agent_from_text(text, organization, key).slug for text in body.agents]
    body.rival = agent_from_text(body.rival, organization, key).slug if body.rival else None
    return request_as_plan(body, organization), body.name, nano(body.budget_usd)


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
