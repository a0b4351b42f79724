"""The commands `pause`, `resume`, `cancel` and `retry`."""

from argparse import ArgumentParser
from typing import Any

from infrastructure.text.formats import counted
from runs.management.launches import PlainCommand, add_json_argument, experiment_numbered, run_numbered
from runs.models import Run
from runs.services.control import runs_control


class ControlCommand(PlainCommand):
    """Base class of commands that apply an action of runs.services.control to one run or to all runs of an experiment."""

    action, done = "", ""
    """The action, and its past participle for the output."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        targets = parser.add_mutually_exclusive_group(required=True)
        targets.add_argument("--experiment", type=int, metavar="ID")
        targets.add_argument("--run", type=int, metavar="ID")
        add_json_argument(parser)

    def handle(self, *, experiment: int | None, run: int | None, json: bool, **options: Any) -> None:
        if experiment is not None:
            runs = experiment_numbered(experiment).runs.all()
        else:
            assert run is not None
            runs = Run.objects.filter(pk=run_numbered(run).pk)
        changed = runs_control(runs=runs, action=self.action, user=None)
        self.report(
            {"experiment": experiment, "run": run, "changed": changed},
            f"{counted(changed, 'run,runs')} {self.done}.",
            as_json=json,
        )
