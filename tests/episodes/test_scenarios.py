"""Whatever goes wrong on the way, every interface leaves the journal of a plain play by REST, and plays each period once."""

import pytest

from episodes.models import JournalEntry
from runs.models import Period
from tests.episodes.players import FORMS, RestPlayer
from tests.episodes.scenarios import RACES, SCENARIOS, Stage

AT_ONCE = pytest.mark.django_db(transaction=True)
ROWS = [pytest.param(one, id=one.__name__, marks=AT_ONCE if one in RACES else ()) for one in SCENARIOS]


def journal(stage):
    """Every column but the times and the numbers of rows, by seat."""
    names = {"id", "seat", "created_at"}
    columns = [field.name for field in JournalEntry._meta.concrete_fields if field.name not in names]
    rows = JournalEntry.objects.filter(seat__episode=stage.episode).order_by("seat__name", "number")
    return list(rows.values("seat__name", *columns))


def periods(stage):
    rows = Period.objects.filter(run=stage.episode.run).order_by("index")
    return list(rows.values("index", "action", "result", "quality"))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("scenario", ROWS)
def test_what_goes_wrong_on_the_way_leaves_the_journal_of_a_plain_play(opened, scenario, form):
    stage = Stage(opened(**SCENARIOS[scenario]), FORMS[form])
    moves = scenario(stage)
    plain = Stage(opened(**SCENARIOS[scenario]), RestPlayer)
    seats = {name: plain.player(name) for name in plain.opened["seats"]}
    for move in moves:
        seat = seats[move.seat]
        reply = seat.call(move.tool, **move.arguments) if move.tool else seat.act(move.period, move.arguments)
        assert reply.ok, reply.text
    assert journal(stage) == journal(plain)
    assert periods(stage) == periods(plain)
    actions = sorted((move.seat, move.period) for move in moves if not move.tool)
    rows = JournalEntry.objects.filter(seat__episode=stage.episode, is_action=True)
    assert sorted(rows.values_list("seat__name", "period")) == actions
    assert [row["index"] for row in periods(stage)] == list(range(stage.episode.periods_played))


@pytest.mark.parametrize("form", FORMS)
def test_a_period_before_the_first_is_refused_in_a_sentence(opened, form):
    player = FORMS[form](opened()["token"])
    refused = player.act(-1, {"Product_1": 5})
    assert not refused.ok and refused.text.endswith(".") and "unexpectedly" not in refused.text
    assert player.status() == ("open", 0)
