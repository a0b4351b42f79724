from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from analysis.base.benchmark_filters import TableFilter
from analysis.base.leaderboard import OWN_DESIGN
from analysis.base.litmus_filters import LitmusFilter
from analysis.base.table import TableRow
from analysis.benchmark.table import BenchmarkTable
from analysis.hidden import hidden_runs
from analysis.leaderboards import litmus_rows, records_of, table_of
from analysis.litmus.scores import LitmusRow
from api.management import filters
from api.schemas.leaderboards.leaderboards import BenchmarkOut, LitmusOut
from environments.generation import is_design
from environments.prompts.variants import texts_label
from infrastructure.text.formats import score, share
from runs.management.launches import add_json_argument, print_json


class Command(BaseCommand):
    help = "Print the benchmark leaderboard or the litmus table. The JSON is as in the REST API."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        filters.add_filter_options(parser, TableFilter, LitmusFilter)
        parser.add_argument("--litmus", action="store_true", help="print the litmus table")
        add_json_argument(parser)

    def handle(self, *, organization: str | None, litmus: bool, json: bool, **options: Any) -> None:
        owner = filters.owner_from(organization)
        if litmus:
            litmus_filter = filters.filter_from(owner, LitmusFilter, options)
            hidden = hidden_runs(organization=owner, run_filter=litmus_filter)
            rows = litmus_rows(records_of(organization=owner, litmus_filter=litmus_filter), litmus_filter)
            answer, lines = LitmusOut.values(rows, hidden), litmus_lines(rows)
        else:
            table_filter = filters.filter_from(owner, TableFilter, options)
            table = table_of(organization=owner, table_filter=table_filter)
            hidden = hidden_runs(organization=owner, run_filter=table_filter)
            answer, lines = BenchmarkOut.values(table, hidden), benchmark_lines(table)
        lines = [*(lines or ["No agent has a run that fits."]), *filter(None, [filters.hidden_words(hidden)])]
        print_json(answer) if json else self.stdout.write("\n".join(lines))


def row_name(row: TableRow) -> str:
    own = f", {texts_label(row.own_prompt)}" if row.own_prompt else ""
    return f"{row.name} ({row.kind.value}{own})"


def benchmark_lines(table: BenchmarkTable) -> list[str]:
    lines = []
    for row in table.rows:
        lines.append(f"{row_name(row)}: {score(row.overall)}")
        for column, cell in zip(table.columns, row.cells, strict=True):
            if cell is not None:
                mark = f", {OWN_DESIGN}" if is_design(column.difficulty) else ""
                lines.append(f"  {column.environment} {column.difficulty}: {score(cell.mean)}, n = {cell.n}{mark}")
    return lines


def litmus_lines(rows: list[LitmusRow]) -> list[str]:
    lines = []
    for row in rows:
        lines.append(row_name(row))
        for scores in filter(None, row.scores):
            values = f"litmus {share(scores.litmus.mean)}, competency {share(scores.competency.mean)}"
            lines.append(f"  {scores.test}: {values}, reliability {share(scores.reliability)}")
    return lines
