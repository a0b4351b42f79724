"""The commands `pause`, `resume`, `cancel` and `retry`, which differ in the services they call."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand

from infrastructure.text.formats import counted
from runs.management.arguments import add_json_argument, experiment_numbered, print_json, run_numbered


class ControlCommand(BaseCommand):
    """Calls a service of runs.services.control for one run or for all runs of an experiment."""

    requires_system_checks: list[str] = []
    done = ""
    """The past participle of the command, for the answer."""

    experiment_service: Callable[..., int]
    run_service: Callable[..., bool]

    def add_arguments(self, parser: ArgumentParser) -> None:
        chosen = parser.add_mutually_exclusive_group(required=True)
        chosen.add_argument("--experiment", type=int, metavar="ID")
        chosen.add_argument("--run", type=int, metavar="ID")
        add_json_argument(parser)

    def handle(self, *, experiment: int | None, run: int | None, json: bool, **options: Any) -> None:
        if experiment is not None:
            changed = type(self).experiment_service(experiment=experiment_numbered(experiment), user=None)
        else:
            assert run is not None
            changed = int(type(self).run_service(run=run_numbered(run), user=None))
        if json:
            print_json({"experiment": experiment, "run": run, "changed": changed})
        else:
            self.stdout.write(f"{counted(changed, 'run,runs')} {self.done}.")
