"""Journals compared: that of a scenario with that of a plain play by REST."""

from runs.episodes.models import JournalEntry
from runs.models import Period
from tests.runs.episodes.players import RestPlayer
from tests.runs.episodes.scenarios import SCENARIOS, Stage


def journal_of(stage):
    """Every column but the times and the numbers of rows, by seat."""
    names = {"id", "seat", "created_at"}
    columns = [field.name for field in JournalEntry._meta.concrete_fields if field.name not in names]
    rows = JournalEntry.objects.filter(seat__episode=stage.episode).order_by("seat__name", "number")
    return list(rows.values("seat__name", *columns))


def periods_of(stage):
    rows = Period.objects.filter(run=stage.episode.run).order_by("index")
    return list(rows.values("index", "action", "result", "quality"))


def assert_leaves_the_journal_of_a_plain_play(opened, scenario, form, accepted=list):
    """Play a scenario by a form, and by REST just what the site must have accepted of it.

    accepted: what the journal holds of the moves of the scenario, where the form plays more than they say
    """
    stage = Stage(opened(**SCENARIOS[scenario]), form)
    moves = accepted(scenario(stage))
    plain = Stage(opened(**SCENARIOS[scenario]), RestPlayer)
    seats = {name: plain.player(name) for name in plain.opened["seats"]}
    for move in moves:
        seat = seats[move.seat]
        reply = seat.call(move.tool, **move.arguments) if move.tool else seat.act(move.period, move.arguments)
        assert reply.ok, reply.text
    assert journal_of(stage) == journal_of(plain)
    assert periods_of(stage) == periods_of(plain)
    actions = sorted((move.seat, move.period) for move in moves if not move.tool)
    rows = JournalEntry.objects.filter(seat__episode=stage.episode, is_action=True)
    assert sorted(rows.values_list("seat__name", "period")) == actions
    assert [row["index"] for row in periods_of(stage)] == list(range(stage.episode.periods_played))
