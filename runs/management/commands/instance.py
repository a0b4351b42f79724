from argparse import ArgumentParser
from typing import Any

from runs.management.launches import PlainCommand, add_instance_arguments, instance_from, print_json


class Command(PlainCommand):
    help = "Print one instance as JSON. The command needs no database."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_instance_arguments(parser)
        parser.add_argument("--no-optimum", action="store_true", help="do not compute an optimum that takes long")

    def handle(self, **options: Any) -> None:
        print_json(instance_from(options, with_reference=not options["no_optimum"]).as_json())
