from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from runs.launching.plan import LaunchError
from runs.management.launches import (
    add_launch_arguments,
    default_organization,
    exit_unless_finished,
    fail,
    launch_from,
    print_json,
)
from runs.services.experiments import experiment_launch
from runs.watching import play_here, run_records, wait_for, worker_is_up


class Command(BaseCommand):
    help = "Launch an experiment: every chosen agent on every chosen instance."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_launch_arguments(parser)
        parser.add_argument(
            "--wait",
            action="store_true",
            help="wait until no run is active; if no worker is up, this process plays the runs; "
            "the exit code is 1 if a run did not finish",
        )

    def handle(self, **options: Any) -> None:
        organization = default_organization()
        try:
            plan, name, budget_nano = launch_from(options, organization)
            experiment = experiment_launch(
                organization=organization, user=None, plan=plan, name=name, budget_nano=budget_nano
            )
        except LaunchError as error:
            fail(str(error))
        if options["wait"]:
            wait_for(experiment) if worker_is_up() else play_here(experiment)
        records = run_records(experiment)
        if options["json"]:
            print_json({"experiment": experiment.pk, "runs": records})
        else:
            self.stdout.write(f"Experiment {experiment.pk}: {experiment.name}, {len(records)} runs.")
            for sentence in (experiment.estimate or {}).get("price_changes", ()):
                self.stdout.write(sentence)
            for record in records if options["wait"] else ():
                score = "" if record["score"] is None else f"{record['score'] * 100:.1f}"
                self.stdout.write(
                    f"  run {record['id']}: {record['agent']} on {record['environment']} {record['difficulty']}, "
                    f"seed {record['seed']}: {record['state']} {score} {record['error']}".rstrip()
                )
        if options["wait"]:
            exit_unless_finished(experiment)
