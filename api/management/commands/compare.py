from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from analysis.benchmark.filters import environment_title
from analysis.comparing.comparison import MOST_AGENTS, sentence
from analysis.comparing.selectors import comparisons_of
from api.management.filters import add_table_arguments, check_compared, litmus_filter_from, table_filter_from
from api.schemas.comparisons import ComparisonsOut
from runs.management.arguments import add_json_argument, default_organization, organization_named, print_json


class Command(BaseCommand):
    help = "Compare two to four agents over the instances that they have in common. The JSON is that of the REST API."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("agent", nargs="+", metavar="SLUG", help=f"an agent; two to {MOST_AGENTS}")
        parser.add_argument("--litmus", action="store_true", help="the litmus scores; takes --generator and --rows")
        add_table_arguments(parser)
        add_json_argument(parser)

    def handle(self, *, organization: str | None, json: bool, **options: Any) -> None:
        owner = organization_named(organization) if organization else default_organization()
        check_compared(owner, options["agent"])
        read = litmus_filter_from if options["litmus"] else table_filter_from
        found = comparisons_of(organization=owner, chosen=read(options))
        lines = [f"{environment_title(one.environment)}: {sentence(one)}" for one in found]
        if json:
            print_json(ComparisonsOut.values(found))
        else:
            self.stdout.write("\n".join(lines) or "None of these agents has a finished run that matches.")
