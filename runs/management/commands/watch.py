from argparse import ArgumentParser
from typing import Any

from runs.management import launches
from runs.watching import progress_lines, run_records, wait_for


class Command(launches.PlainCommand):
    help = "Print the progress of an experiment until no run is active. The exit code is 1 if a run did not finish."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("experiment", type=int)
        launches.add_json_argument(parser, "print the runs as JSON at the end instead of the progress")

    def handle(self, **options: Any) -> None:
        experiment = launches.experiment_numbered(options["experiment"])
        if options["json"]:
            wait_for(experiment)
            launches.print_json({"experiment": experiment.pk, "runs": run_records(experiment)})
        else:
            self.stdout.write(f"Experiment {experiment.pk}: {experiment.name}")
            for line in progress_lines(experiment):
                self.stdout.write(line)
                self.stdout.flush()
        launches.exit_unless_finished(experiment)
