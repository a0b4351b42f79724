import sys
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from games.logs.cells import LogRefused
from infrastructure.text.formats import counted
from runs.management.launches import add_json_argument, default_organization, fail, organization_named, print_json
from workspace.transfer.reading.replaying import notable_sentences
from workspace.transfer.reading.sources import opened
from workspace.transfer.services.imports import Imported, PreviewRow, import_preview, import_store


class Command(BaseCommand):
    help = "Import log folders of the published experiment code, from a folder or a zip, as one experiment."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("place", metavar="FOLDER_OR_ZIP", type=Path)
        parser.add_argument(
            "--organization", metavar="SLUG", help="slug of the organization; default: the site's first"
        )
        parser.add_argument("--name", default="", help="name of the experiment")
        parser.add_argument("--preview", action="store_true", help="print what would be imported and store nothing")
        add_json_argument(parser)

    def handle(self, **options: Any) -> None:
        slug = options["organization"]
        organization = organization_named(slug) if slug else default_organization()
        if not options["place"].exists():
            fail(f"There is no {options['place']}.")
        try:
            with opened(options["place"]) as source:
                logs: dict[str, Any] = {"organization": organization, "source": source, "progress": show_progress}
                if options["preview"]:
                    imported = Imported(None, import_preview(**logs))
                else:
                    imported = import_store(user=None, name=options["name"], **logs)
        except LogRefused as error:
            fail(str(error))
        report(imported, options)


def show_progress(number: int, of: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{number} of {of}", end="\n" if number == of else "", file=sys.stderr, flush=True)


def report(imported: Imported, options: dict[str, Any]) -> None:
    experiment = imported.experiment
    if options["json"]:
        print_json({"experiment": experiment.pk if experiment else None, "logs": [asdict(r) for r in imported.rows]})
    else:
        for row in imported.rows:
            print(line_of(row))
        if experiment:
            print(f"Experiment {experiment.pk} has {counted(experiment.runs.count(), 'imported run,imported runs')}.")
        elif not options["preview"]:
            print("Nothing was stored.")
    if all(row.problem for row in imported.rows):
        raise SystemExit(2)


def line_of(row: PreviewRow) -> str:
    if row.problem:
        return f"refused    {row.problem}"
    what = f"{row.environment} {row.difficulty}, seed {row.seed}, {row.model}, {row.periods} of {row.planned} periods"
    if row.known_as:
        return f"known      {row.folder}: imported before as run {row.known_as}"
    score = "" if row.score is None else f", score {row.score:.4f}"
    remarks = "".join(f"\n           {sentence}" for sentence in notable_sentences(row.differences, row.facts))
    return f"{'recognised' if row.is_whole else 'broken off'} {row.folder}: {what}{score}{remarks}"
