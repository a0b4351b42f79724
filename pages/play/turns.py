"""Open the current period of a seat, or preview the next period of a game."""

from collections.abc import Sequence

from agents.tools import READ, WRITE, Notes
from environments.base import SINGLE_SEAT, Environment, Tool
from games.screens.turn import PastPeriod, Turn
from runs.episodes.game import call_of, game_of
from runs.episodes.models import Seat
from runs.episodes.selectors import PeriodView, period_view, seat_period
from runs.episodes.services.playing import seat_call


def turn_of_seat(seat: Seat) -> Turn:
    """Open the current period of a seat. Every tool that only reads is called; the journal records the first call.

    Raises SeatRefused if there is nothing to play.
    """
    view = seat_period(seat, seat.period)
    game = game_of(seat.episode)
    texts: dict[str, str] = {}
    past_periods: Sequence[PastPeriod] = ()
    for tool in readers(view):
        answer = seat_call(seat=seat, period=view.period, tool=tool.name, arguments={})
        if tool.name == game.history_tool:
            past_periods = answer.data["periods"] if answer.data else ()
        else:
            texts[tool.name] = answer.text
    return Turn(game, view, texts, past_periods)


def turn_of(game: Environment, seat: str = SINGLE_SEAT) -> Turn:
    """The next period of a game, without a record: for the practice round, and for a form that is shown again."""
    view = period_view(game, seat)
    texts = {
        tool.name: call_of(game, seat, Notes(), tool.name, {})[0]
        for tool in readers(view)
        if tool.name != game.history_tool
    }
    return Turn(
        game, view, texts, [game.observed(outcome, seat) for outcome in game.outcomes] if game.history_tool else []
    )


def readers(view: PeriodView) -> list[Tool]:
    """The tools that only read and need no argument: all except those of the notes and the action."""
    return [tool for tool in view.tools if tool.name not in (WRITE, READ, view.action_tool)]
