"""What may go wrong between a player and the site: one table of scenarios for every interface of a seat.

A scenario is a function of a `Stage`. It plays by the methods of `tests.runs.episodes.players.Player` alone, so it is
the same by REST, by MCP and in the browser:

    call(tool, **arguments) -> Reply    a getter or a tool of the notes, in the current period of the seat
    act(period, action) -> Reply        the action of a period; the same again is answered, another one refused
    resign()                            the episode ends without a score
    status() -> (state, period)         the state of the episode and the current period of the seat
    loses_reply                         set to True, the answer to the next call or action gets lost after the site did it,
                                        and the method raises ReplyLost

`Reply.ok` says whether the call or action was accepted, now or before. The scenario returns what the site must have accepted,
in order. `test_scenarios.py` plays just that by REST in another episode, and compares the journals.

Another interface is tested by a class with these methods in `FORMS` of `players.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from runs.episodes.models import Episode
from tests.at_once import at_once
from tests.runs.episodes.players import ReplyLost

LOW, HIGH = {"Product_1": 4.5}, {"Product_1": 9}
NOTE = {"notes": "Start low."}
ALONE = {"environment": "pricing", "periods": 3}
TOGETHER = {"environment": "collusiveness_vs_competitiveness", "periods": 3}


@dataclass(frozen=True)
class Move:
    """An accepted call, or with an empty `tool` an accepted action, whose argument is `arguments`."""

    period: int
    arguments: dict[str, Any]
    tool: str = ""
    seat: str = "seat_0"


@dataclass
class Stage:
    """An episode in play. `player` opens one more connection to a seat; every scenario begins with one to the first."""

    opened: dict[str, Any]
    form: Callable[[str], Any]
    seat: Any = field(init=False)

    def __post_init__(self):
        self.seat = self.player()

    def player(self, seat="seat_0"):
        return self.form(self.opened["seats"][seat])

    @property
    def episode(self):
        return Episode.objects.get(pk=self.opened["id"])


def lost(act, *arguments, **named):
    """Do something whose answer gets lost."""
    act.__self__.loses_reply = True
    with pytest.raises(ReplyLost):
        act(*arguments, **named)


def lost_replies(stage):
    """The player sends again whatever was not answered."""
    seat = stage.seat
    for period, price in enumerate((LOW, HIGH, LOW)):
        lost(seat.call, "get_product_ids")
        assert seat.call("get_product_ids").ok
        lost(seat.call, "write_notes", **NOTE)
        assert seat.call("write_notes", **NOTE).ok
        lost(seat.act, period, price)
        assert seat.act(period, price).ok
    assert seat.status() == ("finished", 3)
    moves = []
    for period, price in enumerate((LOW, HIGH, LOW)):
        moves += [Move(period, {}, "get_product_ids"), Move(period, NOTE, "write_notes"), Move(period, price)]
    return moves


def duplicates(stage):
    """Everything arrives twice, also long after; a constant price does not play two periods."""
    seat = stage.seat
    for period in range(3):
        assert seat.call("get_attempt_number") == seat.call("get_attempt_number")
        assert [seat.act(period, LOW).ok, seat.act(period, LOW).ok] == [True, True]
        assert seat.act(0, LOW).ok
    assert seat.status() == ("finished", 3)
    assert seat.act(2, LOW).ok and not seat.act(2, HIGH).ok
    return [move for period in range(3) for move in (Move(period, {}, "get_attempt_number"), Move(period, LOW))]


def reordering(stage):
    """An action arrives before that of the period before, and a call after the action of its period."""
    seat = stage.seat
    assert not seat.act(1, HIGH).ok
    assert seat.status() == ("open", 0)
    assert seat.act(0, LOW).ok
    # It belongs to the next period, since calls do not say theirs everywhere.
    assert seat.call("get_product_ids").ok
    assert seat.act(1, HIGH).ok
    assert seat.act(0, LOW).ok and not seat.act(0, HIGH).ok
    assert seat.status() == ("open", 2)
    return [Move(0, LOW), Move(1, {}, "get_product_ids"), Move(1, HIGH)]


def wrong_period(stage):
    seat = stage.seat
    assert seat.act(0, LOW).ok
    for period, action in ((0, HIGH), (2, HIGH), (3, HIGH), (99, LOW)):
        assert not seat.act(period, action).ok
    assert not seat.call("get_previous_pricing_data", from_period=2).ok
    assert seat.status() == ("open", 1)
    return [Move(0, LOW)]


def wrong_action(stage):
    """The period stays open."""
    seat = stage.seat
    for action in ({}, {"Product_1": -1}, {"Product_1": "much"}, {"Product_7": 5}):
        assert not seat.act(0, action).ok
    assert not seat.call("get_worker_ids").ok and not seat.call("write_notes").ok
    assert seat.status() == ("open", 0)
    assert seat.act(0, HIGH).ok
    return [Move(0, HIGH)]


def racing_actions(stage):
    """Two different actions for one period at the same moment: one is played, the other refused."""
    first, second = stage.seat, stage.player()
    low, high = at_once(lambda: first.act(0, LOW), lambda: second.act(0, HIGH))
    assert sorted([low.ok, high.ok]) == [False, True]
    assert first.status() == second.status() == ("open", 1)
    return [Move(0, LOW if low.ok else HIGH)]


def racing_twins(stage):
    """The same action at the same moment, as from a client that is impatient."""
    players = [stage.seat, stage.player()]
    for period in range(3):
        assert all(reply.ok for reply in at_once(*(lambda p=p, n=period: p.act(n, LOW) for p in players)))
    assert stage.seat.status() == ("finished", 3)
    return [Move(period, LOW) for period in range(3)]


def racing_seats(stage):
    """Both seats act at the same moment, so that each might take itself for the first."""
    seats = {name: stage.player(name) for name in ("seat_0", "seat_1")}
    for period in range(3):
        price = {"Product_1": 3.0 + period}
        assert all(reply.ok for reply in at_once(*(lambda s=s, n=period, a=price: s.act(n, a) for s in seats.values())))
    assert seats["seat_0"].status() == seats["seat_1"].status() == ("finished", 3)
    return [Move(period, {"Product_1": 3.0 + period}, seat=name) for period in range(3) for name in seats]


def waiting(stage):
    """The action of the other seat is missing: this seat can only repeat its own action."""
    mine, theirs = stage.seat, stage.player("seat_1")
    assert mine.act(0, LOW).ok and mine.act(0, LOW).ok
    assert mine.status() == ("waiting", 1)
    assert not mine.call("get_product_ids").ok and not mine.act(1, LOW).ok and not mine.act(0, HIGH).ok
    lost(theirs.act, 0, HIGH)
    assert theirs.act(0, HIGH).ok
    assert mine.status() == theirs.status() == ("open", 1)
    return [Move(0, LOW), Move(0, HIGH, seat="seat_1")]


def expired(stage):
    seat = stage.seat
    assert seat.act(0, LOW).ok
    Episode.objects.filter(pk=stage.episode.pk).update(period_due_at=timezone.now() - timedelta(seconds=1))
    assert seat.status() == ("expired", 1)
    assert not seat.act(1, LOW).ok and not seat.call("get_product_ids").ok
    assert seat.act(0, LOW).ok
    return [Move(0, LOW)]


def resigned(stage):
    seat = stage.seat
    assert seat.call("get_product_ids").ok and seat.act(0, LOW).ok
    seat.resign()
    seat.resign()
    assert seat.status() == ("resigned", 1)
    assert not seat.act(1, LOW).ok and not seat.call("get_product_ids").ok
    assert seat.act(0, LOW).ok and not seat.act(0, HIGH).ok
    return [Move(0, {}, "get_product_ids"), Move(0, LOW)]


SCENARIOS = {
    lost_replies: ALONE,
    duplicates: ALONE,
    reordering: ALONE,
    wrong_period: ALONE,
    wrong_action: ALONE,
    racing_actions: ALONE,
    racing_twins: ALONE,
    racing_seats: TOGETHER,
    waiting: TOGETHER,
    expired: ALONE,
    resigned: ALONE,
}
"""Every scenario, and the episode that it plays."""

RACES = (racing_actions, racing_twins, racing_seats)
"""Those whose threads need transactions of their own."""

PARAMETERS = [
    pytest.param(one, id=one.__name__, marks=pytest.mark.django_db(transaction=True) if one in RACES else ())
    for one in SCENARIOS
]
"""Every scenario, as pytest takes it."""
