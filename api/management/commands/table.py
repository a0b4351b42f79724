import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from analysis.tables import TABLES
from api.management.filters import add_table_arguments, table_filter_from
from infrastructure.text.tables import FORMS
from runs.management.arguments import add_json_argument, default_organization, organization_named


class Command(BaseCommand):
    help = "Print a table as CSV, JSON or LaTeX: " + "; ".join(f"{name}: {one.about}" for name, one in TABLES.items())
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("table", choices=list(TABLES), metavar="TABLE", help=", ".join(TABLES))
        add_table_arguments(parser)
        parser.add_argument("--agent", nargs="+", default=(), metavar="SLUG", help="only these agents")
        parser.add_argument("--latex", action="store_true", help="a tabular for the package booktabs")
        add_json_argument(parser)

    def handle(self, *, table: str, organization: str | None, json: bool, latex: bool, **options: Any) -> None:
        owner = organization_named(organization) if organization else default_organization()
        found = TABLES[table].build(owner, table_filter_from(options))
        _, _, written = FORMS["json" if json else "latex" if latex else "csv"]
        sys.stdout.write(written(found))
