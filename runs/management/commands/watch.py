from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from runs.management.arguments import fail
from runs.models import Experiment
from runs.watching import progress_lines


class Command(BaseCommand):
    help = "Print the progress of an experiment until nothing of it is active."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("experiment", type=int)

    def handle(self, **options: Any) -> None:
        experiment = Experiment.objects.filter(pk=options["experiment"]).first()
        if experiment is None:
            fail(f"There is no experiment {options['experiment']}.")
        self.stdout.write(f"Experiment {experiment.pk}: {experiment.name}")
        for line in progress_lines(experiment):
            self.stdout.write(line)
            self.stdout.flush()
