import sys
from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand

from analysis.base.filters import LeaderboardFilter
from analysis.hidden import hidden_runs
from analysis.models import LeaderboardKind
from analysis.tables import AGENTS, TABLES
from api.management import filters
from infrastructure.text.tables import FORMS
from runs.management.launches import add_json_argument, default_organization, organization_named

ARGUMENTS: dict[str, tuple[Callable[[ArgumentParser], None], Callable[..., Any]]] = {
    LeaderboardKind.BENCHMARK: (filters.add_table_arguments, filters.table_filter_from),
    LeaderboardKind.LITMUS: (filters.add_litmus_arguments, filters.litmus_filter_from),
    AGENTS: (filters.add_agent_arguments, filters.agent_filter_from),
}
"""For each kind of table: the function that adds its arguments, and the function that makes a
filter from the typed options."""


class Command(BaseCommand):
    help = "Print a table as CSV, as JSON (--json) or as LaTeX (--latex). TABLE --help lists the filters of a table."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        tables = parser.add_subparsers(dest="table", metavar="TABLE", required=True)
        for name, table in TABLES.items():
            of_table = tables.add_parser(name, help=table.about, description=f"Print {table.about}.")
            add_arguments, _ = ARGUMENTS[table.kind]
            add_arguments(of_table)
            of_table.add_argument(
                "--agent", nargs="+", default=(), metavar="SLUG", help="agents to include; default: all"
            )
            of_table.add_argument("--latex", action="store_true", help="print a LaTeX tabular for the package booktabs")
            add_json_argument(of_table)

    def handle(self, *, table: str, organization: str | None, json: bool, latex: bool, **options: Any) -> None:
        owner = organization_named(organization) if organization else default_organization()
        filters.check_agents(owner, options["agent"])
        table_type = TABLES[table]
        _, read = ARGUMENTS[table_type.kind]
        table_filter = read(options, table_type.filter_class)
        built_table = table_type.build(owner, table_filter)
        if isinstance(table_filter, LeaderboardFilter) and (
            hidden_sentence := filters.hidden_words(hidden_runs(organization=owner, run_filter=table_filter))
        ):
            print(hidden_sentence, file=sys.stderr)
        _, _, written = FORMS["json" if json else "latex" if latex else "csv"]
        sys.stdout.write(written(built_table))
