"""The scenarios of outside agents, played by the forms of the pages: the journal is that of a plain play by REST."""

import pytest

from episodes.models import JournalEntry
from tests.api.conftest import program  # noqa: F401
from tests.episodes.conftest import opened, opener  # noqa: F401
from tests.episodes.players import RestPlayer
from tests.episodes.scenarios import SCENARIOS, Stage
from tests.episodes.test_scenarios import ROWS, journal, periods
from tests.play.players import PersonPlayer, expected


@pytest.mark.parametrize("scenario", ROWS)
def test_what_goes_wrong_in_the_browser_leaves_the_journal_of_a_plain_play(opened, scenario):  # noqa: F811
    stage = Stage(opened(**SCENARIOS[scenario]), PersonPlayer)
    moves = expected(scenario(stage))
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
