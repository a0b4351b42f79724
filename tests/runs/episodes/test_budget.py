"""Limits on what a seat token may store and make the site read, against a player who writes as much as possible."""

import random
import string

import pytest
from django.db import connection
from django.db.models import Sum
from django.db.models.functions import Length
from django.test.utils import CaptureQueriesContext

from infrastructure.fields import CompressedJSONField
from runs.episodes.budget import GAME_BYTES, PERIOD_BYTES, SMALL, size_of
from runs.episodes.models import JournalEntry, Seat
from runs.episodes.selectors import seat_by_token
from runs.episodes.services import playing, seat_call
from runs.models import Exchange, Note, Run
from runs.transcripts import period_transcripts
from tests.runs.episodes.conftest import RestSeat
from tests.runs.episodes.players import ERAS, FORMS

LARGE = 50_000
EMOJI = 4
"""Bytes of a letter in UTF-8."""

CHANGES = ("INSERT", "UPDATE", "SAVEPOINT", "BEGIN")


def noise(length):
    """Text that does not compress."""
    return "".join(random.Random(length).choices(string.printable[:94], k=length))


def fill(seat, period):
    """Write notes until one is refused; the refusal."""
    for number in range(40):
        answer = seat.call(period, "write_notes", notes=f"{number}{'😀' * LARGE}").json()
        if answer["is_error"]:
            return answer["text"]
    raise AssertionError("Nothing was refused.")


def stored():
    """Bytes of what seats wrote, in every table that keeps it."""
    columns = ((JournalEntry, "arguments"), (Exchange, "reply"), (Exchange, "results"), (Note, "text"))
    return sum(model.objects.aggregate(sum=Sum(Length(column)))["sum"] or 0 for model, column in columns)


@pytest.mark.long
def test_notes_over_the_budget_of_period_and_game_are_refused(opened):
    answer = opened(periods=20)
    seat = RestSeat(answer["token"])
    assert seat.status()["bytes_left"] == PERIOD_BYTES
    for period in range(GAME_BYTES // PERIOD_BYTES + 4):
        refusal = fill(seat, period)
        assert f"{PERIOD_BYTES:,} bytes in a period and {GAME_BYTES:,} in the whole game" in refusal
        assert not seat.call(period, "read_notes", attempt_number=period).json()["is_error"]
        assert not seat.call(period, "get_product_ids").json()["is_error"]
        assert seat.act(period, {"Product_1": 5}).status_code == 200
    written = sum(size_of(row.arguments) for row in JournalEntry.objects.all())
    assert GAME_BYTES - 2 * EMOJI * LARGE < written < GAME_BYTES + JournalEntry.objects.count() * SMALL
    assert written == Seat.objects.get().size
    assert stored() < 4 * GAME_BYTES
    assert seat.status()["bytes_left"] == GAME_BYTES - written


@pytest.mark.long
def test_reading_notes_returns_a_single_period_and_stores_no_copy(opened):
    answer = opened()
    seat = RestSeat(answer["token"])
    fill(seat, 0)
    seat.act(0, {"Product_1": 5})
    before = stored()
    for number in range(30):
        read = seat.call(1, "read_notes", attempt_number=0, number=number)
        assert len(read.json()["text"].encode()) <= PERIOD_BYTES
    seat.act(1, {"Product_1": 5})
    assert stored() - before < PERIOD_BYTES / 10
    (shown,) = {
        call.result
        for one in period_transcripts(Run.objects.get(pk=answer["run"]), 1)["seat_0"].exchanges[:-1]
        for call in one.calls
    }
    assert shown == read.json()["text"]


@pytest.mark.long
def test_a_call_reads_only_its_own_notes_before_the_transaction(opened, monkeypatch):
    answer = opened()
    seat = RestSeat(answer["token"])
    for period in range(2):
        fill(seat, period)
        seat.act(period, {"Product_1": 5})
    seat.call(2, "write_notes", notes="The only note of this period.")
    read, whole = [], CompressedJSONField.from_db_value

    def counted(field, value, *more):
        read.append(whole(field, value, *more))
        return read[-1]

    monkeypatch.setattr(CompressedJSONField, "from_db_value", counted)
    with CaptureQueriesContext(connection) as first:
        assert seat.call(2, "read_notes", attempt_number=2).json()["text"] == "The only note of this period."
    assert sum(isinstance(value, dict) and "notes" in value for value in read) == 1
    statements = [query["sql"] for query in first]
    begun = next(place for place, sql in enumerate(statements) if sql.startswith("SAVEPOINT"))
    assert not any(sql.startswith("SELECT") and '"arguments"' in sql for sql in statements[begun:])
    with CaptureQueriesContext(connection) as again:
        seat.call(2, "read_notes", attempt_number=2)
    assert not [query["sql"] for query in again if query["sql"].split()[0] in CHANGES]


def test_invalid_and_repeated_actions_open_no_transaction(opened):
    seat = RestSeat(opened()["token"])
    assert seat.act(0, {"Product_1": 5}).status_code == 200
    for period, action, status in ((1, "[" * 60_000, 422), (0, {"Product_1": 5}, 200), (0, {"Product_1": 6}, 409)):
        with CaptureQueriesContext(connection) as asked:
            assert seat.act(period, action).status_code == status
        assert not [query["sql"] for query in asked if query["sql"].split()[0] in CHANGES]


def test_notes_written_during_a_read_are_in_the_answer(opened, monkeypatch):
    seat = seat_by_token(opened()["token"])
    begin = playing.write_transaction

    def write_first():
        monkeypatch.setattr(playing, "write_transaction", begin)
        seat_call(seat=seat_with_same(seat), period=0, tool="write_notes", arguments={"notes": "In between."})
        return begin()

    monkeypatch.setattr(playing, "write_transaction", write_first)
    answer = seat_call(seat=seat, period=0, tool="read_notes", arguments={"attempt_number": 0})
    assert (answer.text, answer.calls_left) == ("In between.", 38)
    assert [row.tool for row in JournalEntry.objects.all()] == ["write_notes", "read_notes"]


def seat_with_same(seat):
    return Seat.objects.select_related("episode__run__instance", "episode__run__agent").get(pk=seat.pk)


@pytest.mark.parametrize("form", [pytest.param(era, marks=pytest.mark.long) for era in ERAS])
def test_mcp_states_the_remaining_budget(opened, form):
    player = FORMS[form](opened()["token"])
    refused = [player.call("write_notes", notes=f"{number}{'😀' * LARGE}") for number in range(3)][-1]
    assert not refused.ok and f"{GAME_BYTES:,} in the whole game" in refused.text
    assert player.call("read_notes", attempt_number=0).ok
    assert player.act(0, {"Product_1": 5}).ok


@pytest.mark.long
def test_a_full_game_with_long_notes_stays_within_its_budget(opened):
    answer = opened(difficulty="HARD", periods=100)
    seat = RestSeat(answer["token"])
    ceilings = dict.fromkeys(Run.objects.get(pk=answer["run"]).instance.parameters["products"], 1.5)
    for period in range(100):
        for tool in ("get_product_ids", "get_previous_pricing_data"):
            assert not seat.call(period, tool).json()["is_error"]
        assert not seat.call(period, "write_notes", notes=noise(15_000)).json()["is_error"]
        assert not seat.call(period, "read_notes", attempt_number=max(0, period - 1)).json()["is_error"]
        assert seat.act(period, ceilings).status_code == 200
    assert seat.status()["state"] == "finished"
