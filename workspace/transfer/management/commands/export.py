import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterable
from contextlib import suppress
from datetime import date
from typing import Any

from django.core.management.base import BaseCommand

from runs.management.launches import experiment_numbered, fail, organization_named, run_numbered
from runs.models import RunState
from workspace.transfer.writing import records
from workspace.transfer.writing.inspect_log import inspect_log
from workspace.transfer.writing.selection import IMPORTED, OWN, Selection

FILTERS = ("agent", "environment", "difficulty", "state", "since", "until", "origin")


class Command(BaseCommand):
    help = (
        "Write runs to standard output or a file, with one record per period. They are one run, or the runs of an "
        "experiment or organization that match the filters. --format eval writes one run as an Inspect AI log."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        scope_options = parser.add_mutually_exclusive_group(required=True)
        scope_options.add_argument("--experiment", type=int)
        scope_options.add_argument("--run", type=int)
        scope_options.add_argument("--organization", metavar="SLUG", help="export the runs of this organization")
        for name in ("agent", "environment", "difficulty"):
            parser.add_argument(f"--{name}", default="")
        parser.add_argument("--state", choices=RunState.values, default="")
        parser.add_argument("--origin", choices=[OWN, IMPORTED], default="")
        for name, side in (("since", "later"), ("until", "before")):
            about = f"launched on this day or {side}"
            parser.add_argument(f"--{name}", type=date.fromisoformat, metavar="YYYY-MM-DD", help=about)
        parser.add_argument("--format", choices=["jsonl", "csv", "eval"], default="jsonl")
        parser.add_argument(
            "--json", action="store_const", const="jsonl", dest="format", help="the same as --format jsonl"
        )
        parser.add_argument("--output", metavar="FILE", help="file to write; default: standard output")

    def handle(self, **options: Any) -> None:
        runs = selection_from(options).runs()
        if not runs.exists():
            fail("No run matches.")
        if options["format"] == "eval":
            if options["run"] is None:
                fail("An Inspect AI log holds one run; choose it with --run.")
            write(options["output"], inspect_log(runs.select_related("instance", "agent", "rival", "experiment").get()))
        else:
            lines = (records.csv_lines if options["format"] == "csv" else records.jsonl_lines)(runs)
            write(options["output"], (line.encode() for line in lines))


def selection_from(options: dict[str, Any]) -> Selection:
    filters = {name: options[name] for name in FILTERS}
    if options["organization"] is not None:
        return Selection(organization_named(options["organization"]), **filters)
    if options["run"] is not None:
        return Selection(run_numbered(options["run"]).organization, run=options["run"], **filters)
    experiment = experiment_numbered(options["experiment"])
    return Selection(experiment.organization, experiment=experiment.pk, **filters)


def write(output: str | None, parts: Iterable[bytes]) -> None:
    """Write to standard output, or to a file that gets its final name only when it is complete."""
    if output is None:
        if hasattr(sys.stdout, "buffer"):
            sys.stdout.flush()
            sys.stdout.buffer.writelines(parts)
        else:
            sys.stdout.writelines(part.decode() for part in parts)
        return
    unfinished = f"{output}.part"
    try:
        with open(unfinished, "wb") as file:
            file.writelines(parts)
        os.replace(unfinished, output)
    except OSError as error:
        fail(f"{output} could not be written: {error.strerror}.")
    finally:
        with suppress(FileNotFoundError):
            os.unlink(unfinished)
