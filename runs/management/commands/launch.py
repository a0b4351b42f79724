from argparse import ArgumentParser
from typing import Any

from infrastructure.transactions import write_transaction
from runs.management import launches
from runs.management.preset_launches import Part, add_arguments, parts_from
from runs.models import Experiment
from runs.services.experiments import experiment_launch, launch_prepare
from runs.watching import play_here, run_records, wait_for, worker_is_up


class Command(launches.PlainCommand):
    help = "Launch an experiment: every chosen agent on every chosen instance. A preset may launch several."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_arguments(parser)
        parser.add_argument(
            "--wait",
            action="store_true",
            help="wait until no run is active; if no worker is up, this process plays the runs; "
            "the exit code is 1 if a run did not finish",
        )

    def handle(self, **options: Any) -> None:
        organization = launches.default_organization()
        parts = parts_from(options, organization)
        prepared = [launch_prepare(plan=part.plan, organization=organization) for part in parts]
        with write_transaction():  # An error of a later experiment leaves nothing launched.
            experiments = [
                experiment_launch(
                    organization=organization,
                    user=None,
                    plan=part.plan,
                    name=part.name,
                    budget_nano=part.budget_nano,
                    prepared=ready,
                )
                for part, ready in zip(parts, prepared, strict=True)
            ]
        for experiment in experiments if options["wait"] else ():
            wait_for(experiment) if worker_is_up() else play_here(experiment)
        reports = [_report(*pair, options["wait"]) for pair in zip(experiments, parts, strict=True)]
        data = [{"experiment": experiment.pk, "runs": run_records(experiment)} for experiment in experiments]
        of_preset = [
            {"name": part.name, "left_out": part.left_out} | each for part, each in zip(parts, data, strict=True)
        ]
        self.report(
            data[0] if options["preset"] is None else {"experiments": of_preset},
            *(line for lines in reports for line in lines),
            as_json=options["json"],
        )
        for experiment in experiments if options["wait"] else ():
            launches.exit_unless_finished(experiment)


def _report(experiment: Experiment, part: Part, was_played: bool) -> list[str]:
    records = run_records(experiment)
    return [
        f"Experiment {experiment.pk}: {experiment.name}, {len(records)} runs.",
        *([f"  left out by --scale: {part.left_out}"] if part.left_out else ()),
        *(experiment.estimate or {}).get("price_changes", ()),
        *map(_line, records if was_played else ()),
    ]


def _line(record: dict[str, Any]) -> str:
    score = "" if record["score"] is None else f"{record['score'] * 100:.1f}"
    return (
        f"  run {record['id']}: {record['agent']} on {record['environment']} {record['difficulty']}, "
        f"seed {record['seed']}: {record['state']} {score} {record['error']}".rstrip()
    )
