import sys
import zipfile
import zlib
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from games.logs.cells import LogRefused
from infrastructure.text.formats import counted, money
from pages.registrations.archive.reading import ArchiveRefused, read_archive
from pages.registrations.archive.reproducing import findings_of
from pages.registrations.archive.writing import archive, archive_name
from pages.registrations.evidence.answering import answers_of
from pages.registrations.evidence.deviations import deviations_of
from pages.registrations.file import MOST_BYTES, STUDY_EXAMPLE, StudyFile, read_study
from pages.registrations.models import Registration
from pages.registrations.report import registration_report
from pages.registrations.selectors import evidence_of, states_of
from pages.registrations.services import CheckedStudy, launches_make, study_check, study_register
from pages.reports.parts import page
from runs.management import launches
from runs.models import Experiment
from runs.watching import play_here, wait_for, worker_is_up
from workspace.transfer.management.commands.export import write
from workspace.transfer.reading.sources import opened

MADE_BY = "the command line"


class Command(launches.PlainCommand):
    help = (
        "Register a study from a YAML file, launch it, and answer what it registered. Run it again to go on where it "
        "stopped. Nothing is launched twice."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="the study in YAML")
        parser.add_argument("--example", action="store_true", help="print an example of a study file")
        parser.add_argument("--check", action="store_true", help="check the file and print the estimate; store nothing")
        parser.add_argument("--register-only", action="store_true", help="store the file, and launch nothing yet")
        parser.add_argument("--wait", action="store_true", help="wait until all runs have ended, then answer")
        parser.add_argument(
            "--output", type=Path, metavar="FOLDER", help="write report and archive into this folder when complete"
        )
        parser.add_argument(
            "--reproduce",
            type=Path,
            metavar="ARCHIVE",
            help="check an archive without a database, and compare its tables",
        )
        launches.add_json_argument(parser)

    def handle(self, **options: Any) -> None:
        if options["example"]:
            self.stdout.write(STUDY_EXAMPLE, ending="")
        elif options["reproduce"]:
            self._reproduce(options["reproduce"], as_json=options["json"])
        elif options["file"] is None:
            launches.fail("Give a study file, --example or --reproduce ARCHIVE.")
        else:
            self._study(_read(options["file"]), options)

    def _study(self, file: StudyFile, options: dict[str, Any]) -> None:
        organization = launches.default_organization()
        registration = Registration.objects.filter(organization=organization, sha256=file.sha256).first()
        checked = None
        if registration is None:
            checked = study_check(file=file, organization=organization, user=None)
            if options["check"]:
                self.report(_estimate_json(checked), *_estimate_lines(checked), as_json=options["json"])
                return
            registration = study_register(checked=checked, organization=organization, user=None)
        elif options["check"]:
            launches.fail(f"This file is registered since {registration.registered_at:%-d %B %Y, %H:%M} UTC.")
        if not options["register_only"]:
            launches_make(registration=registration, user=None, checked=checked)
        if options["wait"]:
            _wait(registration)
        self._state(registration, options)

    def _state(self, registration: Registration, options: dict[str, Any]) -> None:
        (state,) = states_of([registration])
        data: dict[str, Any] = {
            "registration": registration.pk,
            "sha256": registration.sha256,
            "registered_at": registration.registered_at.isoformat(),
            "state": state.state,
            "experiments": [launch.experiment_id for launch in state.launches],
        }
        lines = [
            f"Registration {registration.pk}: {registration.title}",
            f"SHA-256 {registration.sha256}, registered {registration.registered_at:%-d %B %Y, %H:%M} UTC.",
            state.sentence,
        ]
        if state.is_complete:
            evidence = evidence_of(registration)
            answers = answers_of(evidence)
            deviations = deviations_of(evidence, answers)
            data |= {"answers": [vars(answer) for answer in answers], "deviations": deviations}
            lines += [f"{answer.heading}: {answer.sentence}" for answer in answers]
            lines += [f"Deviation: {deviation}" for deviation in deviations] or ["No deviation from the registration."]
            if options["output"]:
                data["files"] = _write(registration, options["output"])
                lines += [f"Wrote {name}." for name in data["files"]]
        self.report(data, *lines, as_json=options["json"])
        if options["wait"] and not state.is_complete:
            raise SystemExit(1)

    def _reproduce(self, path: Path, *, as_json: bool) -> None:
        try:
            with opened(path) as source:
                findings = []
                for finding in findings_of(read_archive(source)):
                    findings.append(finding)
                    if not as_json:
                        self.stdout.write(finding.line)
        except (LogRefused, ArchiveRefused) as error:
            launches.fail(str(error))
        except (zipfile.BadZipFile, zlib.error, EOFError):
            launches.fail(f"{path} is damaged.")
        if as_json:
            launches.print_json([vars(finding) for finding in findings])
        if not all(finding.is_same for finding in findings):
            print(f"{path} could not be reproduced.", file=sys.stderr)
            raise SystemExit(1)


def _read(path: Path) -> StudyFile:
    try:
        with path.open("rb") as file:
            return read_study(file.read(MOST_BYTES + 1))
    except OSError as error:
        launches.fail(f"{path} cannot be read: {error.strerror}.")


def _wait(registration: Registration) -> None:
    for experiment in Experiment.objects.filter(registered__registration=registration).order_by("pk"):
        wait_for(experiment) if worker_is_up() else play_here(experiment)


def _write(registration: Registration, folder: Path) -> list[str]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        launches.fail(f"{folder} cannot be made: {error.strerror}.")
    report = folder / archive_name(registration).replace(".zip", ".html")
    write(str(report), [page(registration_report(registration, MADE_BY)).encode()])
    write(str(folder / archive_name(registration)), archive(registration))
    return [str(report), str(folder / archive_name(registration))]


def _estimate_json(checked: CheckedStudy) -> dict[str, Any]:
    return {
        "sha256": checked.file.sha256,
        "questions": len(checked.file.study.questions),
        "launches": [launch.estimate.as_json() for launch in checked.launches],
    }


def _estimate_lines(checked: CheckedStudy) -> list[str]:
    lines = [f"SHA-256 {checked.file.sha256}. The file can be registered."]
    for number, launch in enumerate(checked.launches, 1):
        cost = launch.estimate.cost_nano
        dollars = "cost unknown" if cost is None else f"about {money(round(cost.expected))}"
        lines.append(f"Launch {number}: {counted(launch.estimate.runs, 'run,runs')}, {dollars}.")
    return lines
