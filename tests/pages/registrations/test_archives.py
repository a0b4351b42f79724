"""The archive of a study, and whether a reproduction notices what was changed in it."""

import hashlib
import json
import zipfile

import pytest
from django.core.management import call_command

from games.logs.cells import LogRefused
from pages.registrations.archive.reading import ArchiveRefused, read_archive
from pages.registrations.archive.reproducing import findings_of
from pages.registrations.archive.writing import archive
from pages.registrations.selectors import evidence_of
from tests.pages.registrations.conftest import differing
from workspace.transfer.reading.sources import opened


@pytest.fixture
def written(complete, tmp_path):
    """The path of an archive."""
    path = tmp_path / "study.zip"
    path.write_bytes(b"".join(archive(complete)))
    return path


def changed(path, change, *, with_hashes=False):
    """Write the archive again with members that `change` changed in place; with_hashes: and a manifest that fits them."""
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    change(members)
    if with_hashes:
        manifest = json.loads(members["manifest.json"])
        rest = {name: content for name, content in members.items() if name != "manifest.json"}
        manifest["files"] = {name: hashlib.sha256(content).hexdigest() for name, content in rest.items()}
        manifest["sha256"] = manifest["files"]["study.yaml"]
        members["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return path


def lines_changed(name, change):
    """A change of the records of a member of JSON Lines. `change` gets the list of records."""

    def apply(members):
        records = [json.loads(line) for line in members[name].splitlines()]
        change(records)
        members[name] = "".join(f"{json.dumps(record)}\n" for record in records).encode()

    return apply


def test_the_same_evidence_gives_the_same_bytes(complete):
    assert b"".join(archive(complete)) == b"".join(archive(complete))


def test_an_archive_gives_the_same_evidence_and_every_table_byte_for_byte(written, complete, django_assert_num_queries):
    with django_assert_num_queries(0), opened(written) as source:
        read = read_archive(source)
        findings = list(findings_of(read))
    assert all(finding.is_same for finding in findings)
    assert {finding.part for finding in findings} >= {
        f"tables/{name}.csv" for name in ("answers", "deviations", "scores", "runs", "costs")
    }
    assert read.evidence.runs == evidence_of(complete).runs


def score(records):
    records[0]["score"] += 0.01


def no_score(records):
    records[0]["score"] = None


def seed(records):
    records[0]["seed"] += 1


def action(records):
    records[0]["action"] = {name: price + 1 for name, price in records[0]["action"].items()}


def result(records):
    records[0]["outcome"]["total_profit"] += 1


def invalid(records):
    records[0]["action"] = {"Product_99": [1e999, "x"]}


def first(records):
    del records[0]


def run_and_periods(members):
    number = json.loads(members["runs.jsonl"].splitlines()[0])["run"]
    for name in ("runs.jsonl", "periods/00001.jsonl"):
        lines = [line for line in members[name].splitlines(keepends=True) if json.loads(line)["run"] != number]
        members[name] = b"".join(lines)


CHANGES = {
    "score": (lines_changed("runs.jsonl", score), "scores"),
    "no score": (lines_changed("runs.jsonl", no_score), "scores"),
    "seed": (lines_changed("runs.jsonl", seed), "scores"),
    "action": (lines_changed("periods/00001.jsonl", action), "scores"),
    "result": (lines_changed("periods/00001.jsonl", result), "scores"),
    "invalid action": (lines_changed("periods/00001.jsonl", invalid), "scores"),
    "missing period": (lines_changed("periods/00001.jsonl", first), "scores"),
    "missing periods": (lambda members: members.pop("periods/00001.jsonl"), "scores"),
    "missing run": (run_and_periods, "runs.jsonl"),
    "table": (lambda members: members.update({"tables/answers.csv": b"confirmed\n"}), "tables/answers.csv"),
    "missing table": (lambda members: members.pop("tables/scores.csv"), "tables/scores.csv"),
    "question": (
        lambda members: members.update(
            {"study.yaml": members["study.yaml"].replace(b"second-higher", b"first-higher")}
        ),
        "tables/answers.csv",
    ),
}


@pytest.mark.sampled
@pytest.mark.parametrize(("change", "part"), CHANGES.values(), ids=CHANGES)
def test_a_changed_archive_differs_even_if_its_hashes_were_changed_to_fit(written, change, part):
    parts = differing(changed(written, change))
    assert part in parts and "files" in parts
    changed(written, lambda members: None, with_hashes=True)
    assert part in differing(written)


def test_a_changed_study_file_has_another_hash_than_the_registered_one(written):
    def append(members):
        members["study.yaml"] += b"# later\n"

    assert differing(changed(written, append)) == ["study.yaml", "files"]


@pytest.mark.sampled
@pytest.mark.parametrize(
    "change",
    [
        lambda members: members.pop("manifest.json"),
        lambda members: members.update({"manifest.json": b"[" * 1000}),
        lambda members: members.update({"manifest.json": b'{"format": 1}'}),
        lambda members: members.update({"study.yaml": b"a: &x [1]\nb: *x"}),
        lambda members: members.update({"runs.jsonl": b'{"run": "x"}\n'}),
        lambda members: members.update({"runs.jsonl": members["runs.jsonl"] + members["runs.jsonl"]}),
        lambda members: members.update({"../outside": b""}),
        lambda members: members.update({"periods/00001.jsonl": b"\x00\n"}),
    ],
)
def test_a_hostile_archive_is_refused_with_a_sentence(written, change):
    with pytest.raises((ArchiveRefused, LogRefused), match=r"^[^\n]+\.$"):
        differing(changed(written, change))


def test_the_command_says_what_is_the_same_and_fails_if_something_differs(written, capsys):
    call_command("study", "--reproduce", str(written))
    assert "tables/answers.csv: same" in capsys.readouterr().out
    changed(written, CHANGES["score"][0])
    with pytest.raises(SystemExit) as ended:
        call_command("study", "--reproduce", str(written))
    assert ended.value.code == 1 and "scores: differs (run" in capsys.readouterr().out
