from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction

from runs.launching.plan import LaunchError
from runs.management.launches import add_launch_arguments, default_organization, fail, launch_from, print_json
from runs.stages.planning import comparison_plan


class Command(BaseCommand):
    help = "Print how many seeds, at what price, detect a difference of --points. Takes the arguments of `launch`."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_launch_arguments(parser)

    def handle(self, **options: Any) -> None:
        organization = default_organization()
        try:
            with transaction.atomic():
                comparison = comparison_plan(launch_from(options, organization)[0], organization)
                # Nothing is launched, so agents created for the command are rolled back.
                transaction.set_rollback(True)
        except LaunchError as error:
            fail(str(error))
        if comparison is None:
            fail("Name two agents that both play all the environments, benchmarks only, and one prompt variant.")
        if options["json"]:
            print_json(vars(comparison))
            return
        lines = (
            comparison.answer,
            comparison.basis,
            comparison.advice,
            f"Stages: {comparison.stages}" if comparison.stages else "",
        )
        self.stdout.write("\n".join(filter(None, lines)) or "Say which difference to find with --points.")
