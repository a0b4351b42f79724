from argparse import ArgumentParser
from typing import Any

from analysis.answers.leaderboard import LEADERBOARD
from analysis.answers.litmus import LITMUS
from analysis.base.benchmark_filters import TableFilter
from analysis.base.litmus_filters import LitmusFilter
from analysis.hidden import hidden_runs
from api.management import filters
from api.schemas.answers import values_of
from infrastructure.commands import QuickCommand
from infrastructure.text.tables import as_text
from runs.management.launches import add_json_argument, print_json


class Command(QuickCommand):
    help = "Print the benchmark leaderboard or the litmus table. The JSON is as in the REST API."

    def add_arguments(self, parser: ArgumentParser) -> None:
        filters.add_filter_options(parser, TableFilter, LitmusFilter)
        parser.add_argument("--litmus", action="store_true", help="print the litmus table")
        add_json_argument(parser)

    def handle(self, *, organization: str | None, litmus: bool, json: bool, **options: Any) -> None:
        owner, answer = filters.owner_from(organization), LITMUS if litmus else LEADERBOARD
        filter_class: type[LitmusFilter | TableFilter] = LitmusFilter if litmus else TableFilter
        run_filter = filters.filter_from(owner, filter_class, options)
        if json:
            print_json(values_of(answer, owner, run_filter))
            return
        data, hidden = answer.read(owner, run_filter), hidden_runs(organization=owner, run_filter=run_filter)
        table = answer.table_of(answer.name, data, arranged=True)
        text = as_text(table) if table.rows else "No agent has a run that fits.\n"
        self.stdout.write(text + filters.hidden_words(hidden))
