from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from runs.exporting import write_csv, write_jsonl
from runs.management.arguments import fail
from runs.models import Run


class Command(BaseCommand):
    help = "Write an experiment or a run to standard output, one record a period."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        chosen = parser.add_mutually_exclusive_group(required=True)
        chosen.add_argument("--experiment", type=int)
        chosen.add_argument("--run", type=int)
        parser.add_argument("--format", choices=["jsonl", "csv"], default="jsonl")

    def handle(self, **options: Any) -> None:
        if options["run"] is not None:
            runs = Run.objects.filter(pk=options["run"])
        else:
            runs = Run.objects.filter(experiment=options["experiment"])
        if not runs.exists():
            fail("There is nothing of that number.")
        (write_csv if options["format"] == "csv" else write_jsonl)(runs, sys.stdout)
