from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError

from infrastructure.text.formats import counted
from runs.management.launches import PlainCommand, add_json_argument, experiment_numbered, fail
from runs.stages.page import staged_panel
from runs.stages.services import comparison_continue


class Command(PlainCommand):
    help = "Print the stages of an experiment and their results. --continue plays the rest without looks."

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
        self.report(
            {"experiment": experiment_row.pk, "queued": queued} | panel.as_json(),
            *([f"Queued {counted(queued, 'run,runs')} of later stages."] if go_on else ()),
            panel.sentence,
            *(
                f"  stage {row.stage}: {row.instances} instances, difference {row.difference}, p {row.p}, "
                f"boundary {row.boundary}{f', {row.waits}' if row.waits else ''}"
                for row in panel.rows
            ),
            as_json=json,
        )
