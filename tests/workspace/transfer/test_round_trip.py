"""The export of an imported run equals its log, which this test parses independently."""

import ast
import csv
import io
import json
import zipfile
from collections import defaultdict
from datetime import UTC, datetime

import pytest

from environments.registry import ENVIRONMENTS
from runs.models import Run
from tests.workspace.transfer.published_chats import Clock, stamp
from tests.workspace.transfer.published_log import COLUMNS, write_log, write_patience
from workspace.transfer.writing.inspect_log import inspect_log
from workspace.transfer.writing.records import period_records

ACTIONS = {
    "procurement": "alloc",
    "scheduling": "matching",
    "pricing": "prices",
    "efficiency_vs_equality": "alloc",
    "collusiveness_vs_competitiveness": "prices",
}


@pytest.fixture
def exported(imported):
    """The only log in the test's folder, stored: its records, and its samples by period and seat."""

    def export():
        run = imported()
        records = list(period_records(Run.objects.filter(pk=run.pk)))
        with zipfile.ZipFile(io.BytesIO(b"".join(inspect_log(run)))) as archive:
            samples = [json.loads(archive.read(name)) for name in archive.namelist() if name.startswith("samples/")]
        return run, records, samples

    return export


@pytest.mark.sampled
@pytest.mark.parametrize("environment", ACTIONS)
def test_an_export_has_the_content_of_the_log(environment, exported, tmp_path):
    folder = write_log(tmp_path, environment)
    stamp(folder, Clock(step=2))
    log = _read(folder / "logs.csv", COLUMNS[environment][1 if environment == "efficiency_vs_equality" else 0])
    run, records, samples = exported()
    assert [record["period"] for record in records] == sorted(log)
    assert sum(sample["total_time"] for sample in samples) == sum(p["seconds"] * p["seats"] for p in log.values())
    assert (run.ended_at - run.started_at).total_seconds() == 2 * sum(p["queries"] for p in log.values())
    for record in records:
        period = log[record["period"]]
        assert _rounded(record["action"]) == _rounded(period[ACTIONS[environment]])
        assert record["notes"] == [note for notes in period["notes"] for note in notes]
        assert list(record["notes_by_seat"].values()) == period["notes"]
        assert list(record["notes_by_seat"]) == ["seat_0", "seat_1"][: period["seats"]]
        tokens = {name: record[name] for name in ("queries", "input_tokens", "cached_tokens", "output_tokens")}
        assert tokens == {name: period[name] for name in tokens}
        assert record["cost_usd"] is None
    for sample in samples:
        metadata, period = sample["metadata"], log[sample["metadata"]["period"]]
        assert metadata["notes"] == period["notes"][int(metadata["seat"][-1])]
        assert sample["total_time"] == period["seconds"] and metadata["cost_usd"] is None
        assert datetime.fromisoformat(sample["completed_at"]).replace(tzinfo=None) == period["ended"]


def _read(path, column):
    """A period of a log by its number, by the names that exports use; notes by seat."""
    found = defaultdict(lambda: defaultdict(int, notes=[], times=[]))
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            period = found[int(row[column])]
            if not row["completion"]:
                taken = set(ACTIONS.values()) & row.keys()
                period |= {name: ast.literal_eval(row[name]) for name in taken if row[name]}
                continue
            completion = ast.literal_eval(row["completion"])
            if len(ast.literal_eval(row["messages"])) == 1:
                period["notes"].append([])
            made = [b for b in completion["content"] if b["type"] == "tool_use" and b["name"] == "write_notes"]
            period["notes"][-1] += [block["input"]["notes"] for block in made]
            usage = completion["usage"]
            period["queries"] += 1
            period["cached_tokens"] += usage["cache_read_input_tokens"]
            period["input_tokens"] += sum(usage[name] for name in usage if name != "output_tokens")
            period["output_tokens"] += usage["output_tokens"]
            period["times"] += [datetime.fromisoformat(row[name]) for name in row if name.endswith("_timestamp")]
    for period in found.values():
        period["seats"] = len(period["notes"])
        period["ended"] = period["times"][-1]
        period["seconds"] = (period["times"][-1] - period["times"][0]).total_seconds()
    return found


def _rounded(action):
    """Prices to the cent, as the logs hold them; the list of two sellers as its numbers."""
    values = list(action.values()) if isinstance(action, dict) else action
    return [round(value, 2) if isinstance(value, float) else value for value in values]


@pytest.mark.long
def test_patience_answers_are_exported_as_counted(exported, tmp_path):
    folder = write_patience(tmp_path)
    with (folder / "high_level_results.csv").open(newline="") as file:
        log = {float(row["value"]): int(row["preferred_100_count"]) for row in csv.DictReader(file)}
    run, records, samples = exported()
    assert {record["action"]["amount"]: record["action"]["now"] for record in records} == log
    assert sum(record["queries"] for record in records) == run.queries == 2 * len(log)
    assert sum(record["output_tokens"] for record in records) == run.output_tokens == 7 * run.queries
    # The name of the folder gives the only time.
    assert {(sample["total_time"], sample["completed_at"]) for sample in samples} == {(None, None)}
    assert (run.started_at, run.ended_at) == (datetime(2025, 3, 1, 10, tzinfo=UTC), None)


def test_the_round_trip_covers_every_environment():
    assert {*ACTIONS, "patience_vs_impatience"} == set(ENVIRONMENTS)
