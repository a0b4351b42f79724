"""The base of commands, arguments of several of them, and the launch that `launch`, `estimate` and `seeds` describe.

Errors are one sentence on standard error, with exit code 2.
"""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import transaction
from django.db.models import Model, QuerySet

from accounts.models import Organization
from environments.base import Instance, InvalidSettings
from environments.generation import CUSTOM, DESIGN, GENERATORS, RANKED, base_of
from environments.prompts.variants import base_variant, is_own
from environments.registry import ENVIRONMENTS, GENERATION, built_in_variants, generate
from infrastructure.declared import add_option
from infrastructure.money import nano
from runs.bootstrap import ensure_organization, migrate_if_needed
from runs.launching.adhoc import agent_from_text
from runs.launching.again import option_of, spec_as_plan
from runs.launching.fields import FIELDS
from runs.launching.plan import LaunchError, LaunchPlan
from runs.launching.request import MOST_BYTES, LaunchIn, read_launch, request_as_plan
from runs.models import Experiment, Run, RunState
from runs.models.runs import NOT_PLAYED

Result = TypeVar("Result")
Row = TypeVar("Row", bound=Model)


class PlainCommand(BaseCommand):
    """A command that needs no system checks, and that ends with the sentences of a LaunchError."""

    requires_system_checks: list[str] = []

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except LaunchError as error:
            fail(str(error))

    def report(self, data: Any, *lines: str, as_json: bool) -> None:
        """Print the data as JSON, or the lines."""
        if as_json:
            print_json(data)
        else:
            self.stdout.write("\n".join(lines))


LAUNCH_ARGUMENTS: dict[str, dict[str, Any]] = {
    "environments": {"nargs": "+", "choices": list(ENVIRONMENTS), "metavar": "ENV", "help": ", ".join(ENVIRONMENTS)},
    "difficulties": {
        "nargs": "+",
        "metavar": "DIFFICULTY",
        "help": f"BASIC, MEDIUM, HARD, {CUSTOM} or {DESIGN}SLUG of a design",
    },
    "seeds": {"help": "for example 0-11 or 0,3,7"},
    "agents": {"nargs": "+", "metavar": "AGENT", "help": "a slug, or PROVIDER:MODEL[@BASE_URL]"},
    "variants": {
        "nargs": "+",
        "metavar": "VARIANT",
        "help": "prompt variants, such as main or an own main+concise; default: main",
    },
    "rival": {"metavar": "AGENT", "help": "the agent in the second seat of a market of two"},
    "budget_usd": {"metavar": "USD", "help": "the most that the experiment may cost"},
    "run_budget_usd": {"metavar": "USD", "help": "the most that each run may cost"},
    "stages": {
        "nargs": "+",
        "type": int,
        "default": [],
        "metavar": "SEEDS",
        "help": "compare two agents in stages: 4 8 12",
    },
}
"""Options of a launch that are no LaunchFields, by field of the API."""


def add_launch_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "file", nargs="?", type=Path, metavar="FILE", help="a launch in YAML, instead of the options below"
    )
    for field, options in LAUNCH_ARGUMENTS.items():
        parser.add_argument(option_of(field), dest=field, **options)
    for name, info in FIELDS.items():
        add_option(parser, option_of(name), name, info)
    parser.add_argument("--name", default="")
    parser.add_argument("--api-key-env", default="", metavar="NAME", help="variable with the API key for ad hoc agents")
    add_json_argument(parser)
    add_settings_argument(parser)


def launch_from(options: dict[str, Any], organization: Organization) -> tuple[LaunchPlan, str, int | None]:
    """The plan, the name and the budget of the experiment. Stores new agents. Raises LaunchError."""
    if options["file"]:
        return _launch_of_file(options, organization)
    if missing := [
        option_of(name) for name in ("environments", "difficulties", "seeds", "agents") if not options[name]
    ]:
        fail(f"Give a file, or {', '.join(missing)}.")
    spec = options | {
        "environments": list(dict.fromkeys(options["environments"])),
        "difficulties": list(dict.fromkeys(options["difficulties"])),
        "variants": list(dict.fromkeys(options["variants"] or ["main"])),
        "settings": settings_from(options["environments"][0], options["set"], options["difficulties"]),
        "agents": [_slug(text, options, organization) for text in options["agents"]],
        "rival": _slug(options["rival"], options, organization) if options["rival"] else None,
        "run_budget_nano": nano_from(options["run_budget_usd"], "--run-budget"),
    }
    return spec_as_plan(spec, organization), options["name"], nano_from(options["budget_usd"], "--budget")


def of_planned(options: dict[str, Any], compute: Callable[[LaunchPlan, Organization], Result]) -> Result:
    """What `compute` returns for the plan of a launch that is not made. Raises LaunchError."""
    organization = default_organization()
    with transaction.atomic():
        result = compute(launch_from(options, organization)[0], organization)
        # Nothing is launched, so agents that the plan created are rolled back.
        transaction.set_rollback(True)
    return result


def _slug(text: str, options: dict[str, Any], organization: Organization) -> str:
    return agent_from_text(text, organization, options["api_key_env"]).slug


def _launch_of_file(options: dict[str, Any], organization: Organization) -> tuple[LaunchPlan, str, int | None]:
    # Django has an option --settings of its own.
    keys = {name: "set" if name == "settings" else name for name in LaunchIn.model_fields}
    if given := [name for name, key in keys.items() if options[key] not in (None, "", [])]:
        fail(f"Write it into the file instead of giving {option_of(given[0])} beside it.")
    try:
        with options["file"].open("rb") as file:
            body = read_launch(file.read(MOST_BYTES + 1))
    except OSError as error:
        fail(f"{options['file']} cannot be read: {error.strerror}.")
    body.agents = [_slug(text, options, organization) for text in body.agents]
    body.rival = _slug(body.rival, options, organization) if body.rival else None
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


def add_instance_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("environment", choices=list(ENVIRONMENTS), metavar="ENV", help=", ".join(ENVIRONMENTS))
    parser.add_argument("difficulty", metavar="DIFFICULTY", help=f"BASIC, MEDIUM, HARD or {CUSTOM} with --set")
    parser.add_argument("--seed", type=int, required=True, help=f"the key of a {RANKED} instance as a decimal number")
    parser.add_argument("--generator", choices=[*GENERATORS, RANKED], default="published")
    parser.add_argument("--variant", default="main", help="prompt variant; one with a shock has its own instances")
    add_settings_argument(parser)
    add_json_argument(parser, "print JSON, which is the only form")


def add_json_argument(parser: ArgumentParser, text: str = "print JSON") -> None:
    parser.add_argument("--json", action="store_true", help=text)


def add_settings_argument(parser: ArgumentParser) -> None:
    text = f"a setting of {CUSTOM}; the other settings are as in the first difficulty"
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=text)


def settings_from(environment: str, pairs: list[str], difficulties: Sequence[str]) -> dict[str, Any] | None:
    """Custom settings from NAME=VALUE pairs. Settings without a pair get their value in the first difficulty.

    Returns None if CUSTOM is not among the difficulties.
    """
    values = GENERATION[environment].first
    for pair in pairs:
        name, _, text = pair.partition("=")
        if name not in values:
            fail(f"{environment} has no setting {name!r}; it has {', '.join(values)}.")
        try:
            values[name] = float(text) if any(c in text for c in ".eE") else int(text)
        except ValueError:
            fail(f"--set needs NAME=VALUE with a number, not {pair!r}.")
    return values if CUSTOM in difficulties else None


def instance_from(options: dict[str, Any], *, with_reference: bool = True) -> Instance:
    environment, name = options["environment"], options["variant"]
    variants = built_in_variants(environment)
    if name not in variants and not (is_own(name) and base_variant(name) in variants):
        fail(f"There is no variant {name!r}; there are {', '.join(variants)}.")
    try:
        custom = settings_from(environment, options["set"], [base_of(options["difficulty"])])
        inputs = (environment, options["difficulty"], options["seed"], options["generator"])
        return generate(*inputs, variant=name, settings=custom, with_reference=with_reference)
    except InvalidSettings as error:
        fail(str(error))


def default_organization() -> Organization:
    """The first organization of the site. A new data folder gets its tables, an organization and an owner first."""
    migrate_if_needed()
    return ensure_organization(allow_environment_keys=settings.EMBEDDED)[0]


def organization_named(slug: str) -> Organization:
    return _first(Organization.objects.filter(slug=slug), "There is no organization of that name.")


def experiment_numbered(number: int) -> Experiment:
    experiments = Experiment.objects.select_related("organization")
    return _first(experiments.filter(pk=number), f"There is no experiment {number}.")


def run_numbered(number: int) -> Run:
    return _first(Run.objects.select_related("organization").filter(pk=number), f"There is no run {number}.")


def _first(rows: QuerySet[Row], absent: str) -> Row:
    migrate_if_needed()
    return rows.first() or fail(absent)


def exit_unless_finished(experiment: Experiment) -> None:
    """Exit with code 1 if a run ended or stopped without finishing, and so has no score.

    Runs that a comparison in stages did not need do not count as failures.
    """
    if experiment.runs.exclude(NOT_PLAYED).exclude(state=RunState.FINISHED).exists():
        raise SystemExit(1)


def fail(sentence: str) -> NoReturn:
    print(sentence, file=sys.stderr)
    raise SystemExit(2)


def print_json(data: Any) -> None:
    json.dump(data, sys.stdout, indent=1)
    print()
