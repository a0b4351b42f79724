"""Arguments that several commands share, and how they fail: one sentence on standard error, exit code 2."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from typing import Any, NoReturn

from environments.base import Instance, InvalidSettings
from environments.generation import CUSTOM, GENERATORS
from environments.registry import ENVIRONMENTS, GENERATION, generate


def add_instance_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("environment", choices=list(ENVIRONMENTS), metavar="ENV", help=", ".join(ENVIRONMENTS))
    parser.add_argument("difficulty", metavar="DIFFICULTY", help=f"BASIC, MEDIUM, HARD or {CUSTOM} with --set")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--generator", choices=list(GENERATORS), default="published")
    add_settings_argument(parser)
    parser.add_argument("--json", action="store_true", help="print JSON, which is the only form there is")


def add_settings_argument(parser: ArgumentParser) -> None:
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=f"a setting of {CUSTOM}")


def settings_from(environment: str, pairs: list[str]) -> dict[str, Any] | None:
    """NAME=VALUE pairs as numbers, None where there are none."""
    values: dict[str, Any] = {}
    for pair in pairs:
        name, _, text = pair.partition("=")
        try:
            values[name] = float(text) if any(c in text for c in ".eE") else int(text)
        except ValueError:
            fail(f"--set needs NAME=VALUE with a number, not {pair!r}.")
    known = [setting.name for setting in GENERATION[environment].settings]
    for name in values:
        if name not in known:
            fail(f"{environment} has no setting {name!r}; it has {', '.join(known)}.")
    return values or None


def instance_from(options: dict[str, Any], *, with_reference: bool = True) -> Instance:
    environment = options["environment"]
    try:
        return generate(
            environment,
            options["difficulty"],
            options["seed"],
            options["generator"],
            settings=settings_from(environment, options["set"]),
            with_reference=with_reference,
        )
    except InvalidSettings as error:
        fail(str(error))


def fail(sentence: str) -> NoReturn:
    print(sentence, file=sys.stderr)
    raise SystemExit(2)


def print_json(data: Any) -> None:
    json.dump(data, sys.stdout, indent=1)
    print()
