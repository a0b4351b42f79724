from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand

from analysis.benchmark.cells import summaries_of
from analysis.benchmark.selectors import cell_scores, table_agents
from runs.management.launches import add_json_argument, experiment_numbered, print_json
from runs.models import Experiment, Run


class Command(BaseCommand):
    help = "Print the mean scores of finished runs of an experiment by agent, environment, difficulty and variant."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("experiment", type=int)
        add_json_argument(parser)

    def handle(self, **options: Any) -> None:
        experiment = experiment_numbered(options["experiment"])
        rows = score_rows(experiment)
        if options["json"]:
            print_json({"experiment": experiment.pk, "name": experiment.name, "scores": rows})
            return
        self.stdout.write(f"Experiment {experiment.pk}: {experiment.name}")
        for row in rows:
            mean = "–" if row["mean"] is None else f"{row['mean'] * 100:.1f}"
            error = "" if row["standard_error"] is None else f" ± {row['standard_error'] * 100:.1f}"
            solved = "" if row["solved"] is None else f", {row['solved']} solved"
            cell_label = f"{row['agent']} on {row['environment']} {row['difficulty']}, {row['variant']}"
            bounds = ""
            if row["bounds"]:
                low, high = (f"{end * 100:.1f}" for end in row["bounds"])
                bounds = f", {low} to {high} with {row['missing']} missing"
            self.stdout.write(f"  {cell_label}: {mean}{error}, {row['n']} of {row['of']}{solved}{bounds}")


def score_rows(experiment: Experiment) -> list[dict[str, Any]]:
    runs = Run.objects.filter(experiment=experiment)
    rows = []
    for variant in runs.order_by("variant").values_list("variant", flat=True).distinct():
        cells = cell_scores(runs.filter(variant=variant))
        slugs = {agent.agent_id: agent.agent_slug for agent in table_agents(cells)}
        for cell, summary in zip(cells, summaries_of(cells), strict=True):
            labels = {"agent": slugs[cell.agent_id], **cell.column._asdict(), "variant": variant}
            rows.append(labels | asdict(summary))
    return rows
