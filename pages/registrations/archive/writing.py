"""The archive of a registration: study, hashes, prompts, runs with the actions of every period, and tables."""

import hashlib
import json
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from environments.prompts.sets import prompts_of
from environments.prompts.variants import base_variant
from environments.registry import ENVIRONMENTS
from infrastructure.text.archives import Pipe, entry
from infrastructure.text.tables import as_records
from pages.registrations.archive.members import FORMAT, MANIFEST, README, RUNS, STUDY, periods_name
from pages.registrations.evidence.records import Evidence
from pages.registrations.evidence.tables import files_of
from pages.registrations.models import Registration
from pages.registrations.selectors import evidence_of, runs_of
from pages.reports.parts import versions
from runs.models import PromptVariant, Run
from workspace.transfer.writing.records import period_records

RUNS_AT_ONCE = 200
"""Runs in each file of periods."""


def archive_name(registration: Registration) -> str:
    return f"study-{registration.sha256[:12]}.zip"


def archive(registration: Registration) -> Iterator[bytes]:
    """The archive in parts. The same evidence gives the same bytes. Periods are streamed, so memory stays small."""
    evidence = evidence_of(registration)
    pipe, hashes = Pipe(), dict[str, str]()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as file:  # type: ignore[call-overload]
        for name, parts in _members(registration, evidence):
            digest = hashlib.sha256()
            with file.open(entry(name), "w") as member:
                for part in parts:
                    digest.update(part)
                    member.write(part)
                    yield pipe.take()
            hashes[name] = digest.hexdigest()
        file.writestr(entry(MANIFEST), _json(_manifest(evidence) | {"files": hashes}))
        yield pipe.take()
    yield pipe.take()


def _members(registration: Registration, evidence: Evidence) -> Iterator[tuple[str, Iterable[bytes]]]:
    yield STUDY, [registration.text.encode()]
    yield README, [_read_me(registration, evidence).encode()]
    for name, content in files_of(evidence).items():
        yield name, [content.encode()]
    for name, texts in sorted(_prompts(runs_of(registration)).items()):
        yield name, [_json(texts)]
    yield RUNS, [_line(run.as_json()) for run in evidence.runs]
    for start in range(0, len(evidence.runs), RUNS_AT_ONCE):
        runs = runs_of(registration).filter(pk__in=[run.run for run in evidence.runs[start : start + RUNS_AT_ONCE]])
        yield periods_name(start // RUNS_AT_ONCE), map(_line, period_records(runs))


def _json(content: Any) -> bytes:
    return (json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def _line(record: dict[str, Any]) -> bytes:
    return (json.dumps(record, ensure_ascii=False) + "\n").encode()


def _prompts(runs: Any) -> dict[str, dict[str, str]]:
    """The texts of each prompt set that a run used, by the name of its member, which ends with the hash of the set."""
    names = ("instance__environment", "variant", "prompt_version", "prompts")
    used = list(Run.objects.filter(pk__in=runs.values("pk")).order_by().values_list(*names).distinct())
    own = PromptVariant.objects.in_bulk([number for *_, number in used if number])
    texts = {}
    for environment, variant, version, number in used:
        printed = ENVIRONMENTS[environment].prompt_set
        prompts = own[number].prompt_set if number else prompts_of(printed, variant, version)
        texts[f"prompts/{environment}.{variant}.{version}.json"] = prompts.texts(base_variant(variant))
    return texts


def _manifest(evidence: Evidence) -> dict[str, Any]:
    """Everything about the registration besides its file and runs. Addresses of endpoints are left out."""
    return {
        "format": FORMAT,
        "sha256": evidence.sha256,
        "registered_at": evidence.registered_at,
        "registered_by": evidence.registered_by,
        "versions": {name: evidence.versions[name] for name in ("code", "prompts")},
        "agents": evidence.agents,
        "launches": [asdict(launch) for launch in evidence.launches],
        "others": evidence.others,
        "software": as_records(versions()),
    }


def _read_me(registration: Registration, evidence: Evidence) -> str:
    return f"""\
{registration.title}

This archive holds a registered study of EconEvals. The file study.yaml was registered at {evidence.registered_at} by
{evidence.registered_by}, before the first of its runs was launched. Its SHA-256 is
{registration.sha256}

study.yaml       the registered file: launches, questions, tests and correction
tables/          answers to the registered questions, deviations, scores, runs and costs
runs.jsonl       one line for each run
periods/         one line for each period of each run: action, result, notes and costs
prompts/         the texts of each prompt set; the name of a file ends with its hash
manifest.json    versions, launches, agents, and the SHA-256 of every other file

Only tables/answers.csv answers what was registered. Scores, runs and costs are exploratory.

To reproduce the tables, install EconEvals ({evidence.versions["code"]}) and run

    bin/econevals study --reproduce {archive_name(registration)}

The command needs no data of the first site. It draws each instance again, plays the actions of each finished run, computes
its score, makes every table again, and compares each file byte for byte.
"""
