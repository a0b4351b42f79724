import sys
from argparse import ArgumentParser
from typing import Any

from analysis.answers import TABLES
from api.management import filters
from infrastructure.commands import QuickCommand
from infrastructure.text.tables import FORMS
from runs.management.launches import add_json_argument


class Command(QuickCommand):
    help = "Print a table as CSV, as JSON (--json) or as LaTeX (--latex). TABLE --help lists the filters of a table."

    def add_arguments(self, parser: ArgumentParser) -> None:
        tables = parser.add_subparsers(dest="table", metavar="TABLE", required=True)
        for name, answer in TABLES.items():
            about = answer.tables[name].about
            of_table = tables.add_parser(name, help=about.replace("%", "%%"), description=f"Print {about}.")
            filters.add_filter_options(of_table, answer.filter_class)
            of_table.add_argument("--latex", action="store_true", help="print a LaTeX tabular for the package booktabs")
            add_json_argument(of_table)

    def handle(self, *, table: str, organization: str | None, json: bool, latex: bool, **options: Any) -> None:
        owner, answer = filters.owner_from(organization), TABLES[table]
        table_filter = filters.filter_from(owner, answer.filter_class, options)
        form = "json" if json else "latex" if latex else "csv"
        _, _, written = FORMS[form]
        if (hidden := answer.hidden(owner, table_filter)) and (sentence := filters.hidden_words(hidden)):
            print(sentence, file=sys.stderr)
        sys.stdout.write(written(answer.table(table, owner, table_filter, form)))
