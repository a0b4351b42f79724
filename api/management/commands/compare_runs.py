from argparse import ArgumentParser
from typing import Any

from analysis.run_comparison.selectors import MOST_RUNS, chosen_runs, parting_of
from api.management import filters
from api.schemas.leaderboards.comparisons import RunComparisonOut
from infrastructure.commands import QuickCommand
from runs.management.launches import add_json_argument, fail, print_json


class Command(QuickCommand):
    help = "Compare two to six runs of one instance: which run scored highest, and where they first differ."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", nargs="+", metavar="RUN", help=f"number of a run; two to {MOST_RUNS}")
        parser.add_argument("--organization", metavar="SLUG", help="default: the first of the site")
        add_json_argument(parser)

    def handle(self, *, organization: str | None, json: bool, **options: Any) -> None:
        owner = filters.owner_from(organization)
        selection = chosen_runs(organization=owner, numbers=options["run"])
        if reason := selection.refusal:
            fail(reason)
        values = RunComparisonOut.values(selection.compared, parting_of(selection.compared))
        if json:
            print_json(RunComparisonOut.model_validate(values).model_dump(mode="json"))
        else:
            self.stdout.write("\n".join(values["sentences"]))
