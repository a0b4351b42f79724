"""Arguments and answers that several commands share. A refusal is one sentence on standard error with exit code 2."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any, NoReturn

from django.conf import settings

from accounts.models import Organization
from environments.base import Instance, InvalidSettings
from environments.generation import CUSTOM, GENERATORS, RANKED, base_of
from environments.registry import ENVIRONMENTS, GENERATION, generate
from runs.bootstrap import ensure_organization, migrate_if_needed
from runs.models import Experiment, Run, RunState
from runs.models.runs import NOT_PLAYED


def add_instance_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("environment", choices=list(ENVIRONMENTS), metavar="ENV", help=", ".join(ENVIRONMENTS))
    parser.add_argument("difficulty", metavar="DIFFICULTY", help=f"BASIC, MEDIUM, HARD or {CUSTOM} with --set")
    parser.add_argument("--seed", type=int, required=True, help=f"the key of a {RANKED} instance as a decimal number")
    parser.add_argument("--generator", choices=[*GENERATORS, RANKED], default="published")
    add_settings_argument(parser)
    add_json_argument(parser, "print JSON, which is the only form")


def add_json_argument(parser: ArgumentParser, text: str = "print JSON") -> None:
    parser.add_argument("--json", action="store_true", help=text)


def add_settings_argument(parser: ArgumentParser) -> None:
    text = f"a setting of {CUSTOM}; the other settings are as in the first difficulty"
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=text)


def settings_from(environment: str, pairs: list[str], difficulties: Sequence[str]) -> dict[str, Any] | None:
    """Custom settings from NAME=VALUE pairs, the others as in the first difficulty; None where none is CUSTOM."""
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
    environment = options["environment"]
    try:
        return generate(
            environment,
            options["difficulty"],
            options["seed"],
            options["generator"],
            settings=settings_from(environment, options["set"], [base_of(options["difficulty"])]),
            with_reference=with_reference,
        )
    except InvalidSettings as error:
        fail(str(error))


def default_organization() -> Organization:
    """The first organization of the site. A fresh data folder gets its tables, an organization and an owner."""
    migrate_if_needed()
    return ensure_organization(allow_environment_keys=settings.EMBEDDED)[0]


def organization_named(slug: str) -> Organization:
    migrate_if_needed()
    return Organization.objects.filter(slug=slug).first() or fail("There is no organization of that name.")


def experiment_numbered(number: int) -> Experiment:
    migrate_if_needed()
    experiments = Experiment.objects.select_related("organization")
    return experiments.filter(pk=number).first() or fail(f"There is no experiment {number}.")


def run_numbered(number: int) -> Run:
    migrate_if_needed()
    runs = Run.objects.select_related("organization")
    return runs.filter(pk=number).first() or fail(f"There is no run {number}.")


def exit_unless_finished(experiment: Experiment) -> None:
    """Exit with code 1 where a run ended or stopped without finishing, and so without a score.

    Runs that a comparison in stages did not need are no failure.
    """
    if experiment.runs.exclude(NOT_PLAYED).exclude(state=RunState.FINISHED).exists():
        raise SystemExit(1)


def fail(sentence: str) -> NoReturn:
    print(sentence, file=sys.stderr)
    raise SystemExit(2)


def print_json(data: Any) -> None:
    json.dump(data, sys.stdout, indent=1)
    print()
