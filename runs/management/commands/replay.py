from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from environments.base import ToolError
from environments.json_text import NotJSON, read_json
from environments.registry import ENVIRONMENTS
from runs.management.launches import PlainCommand, add_instance_arguments, fail, instance_from, print_json


class Command(PlainCommand):
    help = "Play a file of actions without an agent. Each line is a JSON object. Needs no database."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_instance_arguments(parser)
        parser.add_argument("--actions", type=Path, required=True, metavar="FILE")

    def handle(self, **options: Any) -> None:
        environment_class = ENVIRONMENTS[options["environment"]]
        instance = instance_from(options)
        try:
            lines = options["actions"].read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            fail(f"{options['actions']} cannot be read: {error}.")
        actions = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
        environment = environment_class(instance, variant=options["variant"])
        periods = min(environment.periods, max(1, len(actions)))
        for number, line in actions:
            if environment.finished:
                fail(f"Line {number}: the run had already ended after {environment.period} periods.")
            try:
                environment.step(environment.parse_joint(read_json(line, lenient=True)))
            except NotJSON as error:
                fail(f"Line {number}: this {error}.")
            except ToolError as error:
                fail(f"Line {number}: {error}")
        outcomes = environment.outcomes
        print_json(
            {
                "outcomes": [outcome.as_json() for outcome in outcomes],
                "score": environment_class.score(instance, outcomes, periods, environment.variant).value,
                "metrics": environment_class.metrics(instance, outcomes, periods),
            }
        )
