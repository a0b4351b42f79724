from argparse import ArgumentParser
from typing import Any

from analysis.answers import ANSWERS, FORMER
from api.management import filters
from api.management.commands.report import MADE_BY, write_report
from api.schemas.answers import values_of
from infrastructure.commands import QuickCommand
from infrastructure.text.tables import as_text
from pages.reports.answers import answer_report
from runs.management.launches import add_json_argument, print_json


class Command(QuickCommand):
    help = "Print the sentences and tables of an answer, or the JSON of the API with --json. ANSWER --help lists its filters."

    def add_arguments(self, parser: ArgumentParser) -> None:
        answers = parser.add_subparsers(dest="answer", metavar="ANSWER", required=True)
        for name, answer in ANSWERS.items():
            former = [answer.former] if answer.former else []
            of_answer = answers.add_parser(name, aliases=former, help=answer.question, description=answer.question)
            filters.add_filter_options(of_answer, answer.filter_class)
            of_answer.add_argument("--report", metavar="FILE", help="write the report of the answer, an HTML file")
            add_json_argument(of_answer)

    def handle(self, *, answer: str, organization: str | None, report: str | None, json: bool, **options: Any) -> None:
        owner, chosen = filters.owner_from(organization), (ANSWERS | FORMER)[answer]
        run_filter = filters.filter_from(owner, chosen.filter_class, options)
        if report:
            write_report(answer_report(chosen, owner, run_filter, MADE_BY), report)
            return
        if json:
            print_json(values_of(chosen, owner, run_filter))
            return
        data, hidden = chosen.read(owner, run_filter), chosen.hidden(owner, run_filter)
        tables = [chosen.table_of(name, data, arranged=True) for name in chosen.own_tables]
        parts = [*chosen.sentences(data), *(f"{table.title}\n{as_text(table)}" for table in tables)]
        self.stdout.write("\n\n".join([*parts, *([filters.hidden_words(hidden)] if hidden else [])]))
