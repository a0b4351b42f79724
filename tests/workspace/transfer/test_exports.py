"""Exports as JSON Lines and CSV, by browser and command."""

import csv
import io
import json
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection

import workspace.transfer.writing.records
from accounts.models import AuditEntry
from runs.models import Note, Period, Run
from tests.cast import HOSTILE, think
from tests.workspace.transfer.published_log import write_log

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1"]
TEXTS = ['a "quoted", text\nin two lines', "'=1", "é😀", "x=1"]


def body(answer):
    assert answer.status_code == 200
    return b"".join(answer.streaming_content).decode()


def records(page, place):
    return [json.loads(line) for line in body(page.get(place)).splitlines()]


def rows(page, place):
    return list(csv.DictReader(io.StringIO(body(page.get(place)), newline="")))


@pytest.mark.long
def test_a_selection_contains_what_the_filters_select(page, played):
    one = played("pricing-constant", "random", seeds=(0, 1))
    two = played("random", environments=("scheduling",))
    assert len(records(page, "/exports/runs.jsonl")) == 20
    assert {r["experiment"] for r in records(page, f"/exports/runs.jsonl?experiment={two.pk}")} == {two.pk}
    narrowed = records(page, "/exports/runs.jsonl?agent=random&environment=pricing&difficulty=BASIC&state=finished")
    assert {(r["agent"], r["environment"], r["experiment"]) for r in narrowed} == {("random", "pricing", one.pk)}
    assert records(page, "/exports/runs.jsonl?state=errored") == []
    day = one.created_at.date()
    assert len(records(page, f"/exports/runs.jsonl?since={day}&until={day}")) == 20
    assert records(page, f"/exports/runs.jsonl?since={day + timedelta(days=1)}") == []
    text = page.get("/exports/?agent=pricing-constant").text
    assert "2 runs" in text and "8 periods" in text and "/exports/runs.csv?agent=pricing-constant" in text


@pytest.mark.long
def test_the_command_and_the_browser_give_the_same_bytes(page, played, tmp_path):
    experiment = played("random", seeds=(0, 1))
    for form in ("jsonl", "csv"):
        target = tmp_path / f"runs.{form}"
        words = ("--organization", "market-lab", "--agent", "random", "--format", form, "--output", str(target))
        call_command("export", *words)
        assert target.read_bytes().decode() == body(page.get(f"/exports/runs.{form}?agent=random"))
    call_command("export", "--experiment", str(experiment.pk), "--output", str(tmp_path / "one"))
    assert (tmp_path / "one").read_bytes().decode() == body(page.get("/exports/runs.jsonl"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "runs.csv", "runs.jsonl"]


def test_hostile_csv_cells_are_read_back_as_text_and_numbers_as_numbers(page, played):
    run = played("pricing-constant", periods=len(FORMULAS + TEXTS)).runs.get()
    Note.objects.filter(run=run).delete()
    for index, text in enumerate(FORMULAS + TEXTS):
        Note.objects.create(run=run, period_index=index, seat="seat_0", order=0, text=text)
    Period.objects.filter(run=run, index=0).update(quality=-0.25)
    found = rows(page, f"/runs/{run.pk}/run.csv")
    assert [row["notes"] for row in found] == [*(f"'{text}" for text in FORMULAS), *TEXTS]
    assert found[0]["quality"] == "-0.25" and float(found[0]["total_profit"]) > 0
    assert json.loads(found[0]["outcome"])["total_profit"] == float(found[0]["total_profit"])
    assert found[0]["imported"] == "" and found[0]["blocking_pairs"] == ""
    starts = tuple(text[0] for text in FORMULAS)
    assert not any(cell.startswith(starts) for row in found for key, cell in row.items() if key != "quality")


def test_json_lines_contain_thinking_and_both_forms_its_tokens(page, played):
    run = think(played("random", periods=2).runs.get())
    Period.objects.update(reasoning_tokens=250)
    lines = records(page, f"/runs/{run.pk}/run.jsonl")
    assert [line["thinking_by_seat"] for line in lines] == [
        {"seat_0": [HOSTILE] * run.exchanges.filter(period_index=index).count()} for index in (0, 1)
    ]
    table = rows(page, f"/runs/{run.pk}/run.csv")
    assert [row["reasoning_tokens"] for row in table] == ["250", "250"]
    assert [*table[0]][-4:] == ["reasoning_tokens", "conditions", "thinking_usd", "repeat"]
    assert "thinking_by_seat" not in table[0]


def test_imported_runs_are_marked(page, stored, played, tmp_path):
    played("random")
    write_log(tmp_path, "scheduling")
    stored()
    assert {r["imported"] for r in records(page, "/exports/runs.jsonl?origin=imported")} == {True}
    assert all("imported" not in r for r in records(page, "/exports/runs.jsonl?origin=own"))


@pytest.mark.long
def test_foreign_objects_get_the_same_answer_as_missing_objects(page, played, stranger):
    run = played("random").runs.get()
    pages = ("/exports/?experiment={}", "/exports/runs.csv?experiment={}", "/runs/{}/run.jsonl", "/runs/{}/run.eval")
    for place in pages:
        number = run.pk if "runs/{}" in place else run.experiment_id
        foreign, absent = stranger.get(place.format(number)), stranger.get(place.format(10**9))
        assert foreign.status_code == absent.status_code == 404
    assert records(stranger, "/exports/runs.jsonl") == []
    assert stranger.get("/exports/runs.jsonl?agent=random").status_code == 400


@pytest.mark.long
def test_an_invalid_query_gets_a_sentence_and_no_file(page):
    for query in ("since=yesterday", "agent=nobody", "state=none", "experiment=x", "since=2026-02-01&until=2026-01-01"):
        answer = page.get(f"/exports/runs.csv?{query}")
        assert answer.status_code == 400 and answer["Content-Type"].startswith("text/plain"), query
        assert page.get(f"/exports/?{query}").status_code == 200, query


def test_exports_are_in_the_audit_log(page, played, alice):
    played("random")
    body(page.get("/exports/runs.csv"))
    entry = AuditEntry.objects.get(action="runs.exported")
    assert (entry.subject, entry.actor) == ("runs.csv: 1 run", alice)


@pytest.mark.long
def test_no_query_stays_open_while_a_file_is_sent(page, played, django_assert_max_num_queries):
    """A page of rows is read whole before any of it is sent, so that a slow reader holds no transaction."""
    played("random", seeds=(0, 1, 2), periods=30)
    parts = page.get("/exports/runs.jsonl").streaming_content
    next(iter(parts))
    if connection.vendor == "sqlite":
        # A cursor in the middle of its rows would keep the table locked against a change of its columns.
        assert not connection.connection.in_transaction or connection.in_atomic_block
    with django_assert_max_num_queries(3 * 3 + 9):
        body(page.get("/exports/runs.jsonl"))


@pytest.mark.long
def test_pages_of_rows_join_without_gaps_or_repetitions(page, played, monkeypatch):
    played("random", seeds=(0, 1, 2), periods=5)
    whole = body(page.get("/exports/runs.jsonl"))
    monkeypatch.setattr(workspace.transfer.writing.records, "RUNS_AT_ONCE", 2)
    monkeypatch.setattr(workspace.transfer.writing.records, "PERIODS_AT_ONCE", 2)
    assert body(page.get("/exports/runs.jsonl")) == whole
    assert Run.objects.count() * 5 == len(whole.splitlines())


@pytest.mark.long
def test_the_exports_page_takes_eight_queries_for_any_number_of_runs(page, played, django_assert_num_queries):
    played("random")
    with django_assert_num_queries(8):
        page.get("/exports/")
    played("random", "pricing-constant", seeds=(0, 1, 2, 3))
    with django_assert_num_queries(8):
        page.get("/exports/")


def test_only_a_file_for_excel_begins_with_a_byte_order_mark(page, played):
    played("random")
    for address in ("/exports/runs.csv", "/ledger/ledger.csv", "/leaderboard/table.csv"):
        plain, marked = (b"".join(page.get(address, query)) for query in ({}, {"excel": "1"}))
        assert marked == b"\xef\xbb\xbf" + plain and plain[:1].isalpha(), address
    assert page.get("/leaderboard/table.json", {"excel": "1"}).json()["rows"]
