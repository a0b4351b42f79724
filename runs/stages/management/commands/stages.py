from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand

from infrastructure.text.formats import counted
from runs.management.launches import add_json_argument, experiment_numbered, fail, print_json
from runs.stages.page import staged_panel
from runs.stages.services import comparison_continue


class Command(BaseCommand):
    help = "Print the stages of an experiment and their results. --continue plays the rest without looks."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("experiment", type=int)
        parser.add_argument(
            "--continue",
            action="store_true",
            dest="go_on",
            help="queue all later stages, which then no longer stop early",
        )
        add_json_argument(parser)

    def handle(self, *, experiment: int, go_on: bool, json: bool, **options: Any) -> None:
        experiment_row = experiment_numbered(experiment)
        queued = 0
        if go_on:
            try:
                queued = comparison_continue(experiment=experiment_row, user=None)
            except ValidationError as error:
                fail(error.messages[0])
        panel = staged_panel(experiment_row) or fail("This experiment was not launched in stages.")
        if json:
            print_json({"experiment": experiment_row.pk, "queued": queued} | panel.as_json())
            return
        if go_on:
            self.stdout.write(f"Queued {counted(queued, 'run,runs')} of later stages.")
        self.stdout.write(panel.sentence)
        for row in panel.rows:
            self.stdout.write(
                f"  stage {row.stage}: {row.instances} instances, difference {row.difference}, p {row.p}, "
                f"boundary {row.boundary}{f', {row.waits}' if row.waits else ''}"
            )
