from argparse import ArgumentParser
from typing import Any

from runs.management import launches
from runs.services.experiments import experiment_launch
from runs.watching import play_here, run_records, wait_for, worker_is_up


class Command(launches.PlainCommand):
    help = "Launch an experiment: every chosen agent on every chosen instance."

    def add_arguments(self, parser: ArgumentParser) -> None:
        launches.add_launch_arguments(parser)
        parser.add_argument(
            "--wait",
            action="store_true",
            help="wait until no run is active; if no worker is up, this process plays the runs; "
            "the exit code is 1 if a run did not finish",
        )

    def handle(self, **options: Any) -> None:
        organization = launches.default_organization()
        plan, name, budget_nano = launches.launch_from(options, organization)
        experiment = experiment_launch(
            organization=organization, user=None, plan=plan, name=name, budget_nano=budget_nano
        )
        if options["wait"]:
            wait_for(experiment) if worker_is_up() else play_here(experiment)
        records = run_records(experiment)
        self.report(
            {"experiment": experiment.pk, "runs": records},
            f"Experiment {experiment.pk}: {experiment.name}, {len(records)} runs.",
            *(experiment.estimate or {}).get("price_changes", ()),
            *map(_line, records if options["wait"] else ()),
            as_json=options["json"],
        )
        if options["wait"]:
            launches.exit_unless_finished(experiment)


def _line(record: dict[str, Any]) -> str:
    score = "" if record["score"] is None else f"{record['score'] * 100:.1f}"
    return (
        f"  run {record['id']}: {record['agent']} on {record['environment']} {record['difficulty']}, "
        f"seed {record['seed']}: {record['state']} {score} {record['error']}".rstrip()
    )
