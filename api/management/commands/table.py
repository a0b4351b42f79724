import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from analysis.base.filters import LeaderboardFilter
from analysis.hidden import hidden_runs
from analysis.tables import TABLES
from api.management import filters
from infrastructure.text.tables import FORMS
from runs.management.launches import add_json_argument


class Command(BaseCommand):
    help = "Print a table as CSV, as JSON (--json) or as LaTeX (--latex). TABLE --help lists the filters of a table."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        tables = parser.add_subparsers(dest="table", metavar="TABLE", required=True)
        for name, table in TABLES.items():
            of_table = tables.add_parser(name, help=table.about, description=f"Print {table.about}.")
            filters.add_filter_options(of_table, table.filter_class)
            of_table.add_argument("--latex", action="store_true", help="print a LaTeX tabular for the package booktabs")
            add_json_argument(of_table)

    def handle(self, *, table: str, organization: str | None, json: bool, latex: bool, **options: Any) -> None:
        owner, table_type = filters.owner_from(organization), TABLES[table]
        table_filter = filters.filter_from(owner, table_type.filter_class, options)
        built_table = table_type.build(owner, table_filter)
        if isinstance(table_filter, LeaderboardFilter) and (
            hidden_sentence := filters.hidden_words(hidden_runs(organization=owner, run_filter=table_filter))
        ):
            print(hidden_sentence, file=sys.stderr)
        _, _, written = FORMS["json" if json else "latex" if latex else "csv"]
        sys.stdout.write(written(built_table))
