"""The current period as its player sees it: prompts and tools, the answers of the tools that only read, past periods."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.tools import FROM_PERIOD, READ, WRITE, Notes
from environments.base import SINGLE_SEAT, Environment, Tool
from environments.survey import Question
from runs.episodes.game import call_of, game_of
from runs.episodes.models import Seat
from runs.episodes.selectors import PeriodView, period_view, seat_period
from runs.episodes.services.playing import seat_call

PastPeriod = Mapping[str, Any]
"""One past period, as `Environment.observed` gives it."""


@dataclass(frozen=True)
class Turn:
    """What a player knows at the start of a period: texts and data that an agent also gets.

    texts: the answers of the tools that only read, by tool, without the history
    past_periods: what `Environment.observed` gives of each, the newest last
    """

    environment: str
    view: PeriodView
    texts: Mapping[str, str]
    past_periods: Sequence[PastPeriod]

    @property
    def period(self) -> int:
        return self.view.period

    @property
    def periods(self) -> int:
        return self.view.periods

    @property
    def questions(self) -> tuple[Question, ...]:
        return self.view.questions

    @property
    def last(self) -> PastPeriod | None:
        return self.past_periods[-1] if self.past_periods else None

    @property
    def takes_notes(self) -> bool:
        """Surveys have no tools for notes."""
        return any(tool.name == WRITE for tool in self.view.tools)

    @property
    def task(self) -> list[str]:
        """The system prompt; of a survey the wordings of its questions."""
        return (
            [self.view.system]
            if self.view.system
            else list(dict.fromkeys(question.prompt for question in self.questions))
        )

    @property
    def tools(self) -> list[tuple[Tool, str]]:
        """Each tool, and where on the page a person finds it."""
        locations = {WRITE: "Notes", READ: "Earlier notes", self.view.action_tool: "Your action"}
        locations |= {tool.name: "What happened so far" for tool in self.view.tools if FROM_PERIOD in _arguments(tool)}
        return [(tool, locations.get(tool.name, "on this page")) for tool in self.view.tools]

    @property
    def has_history(self) -> bool:
        return any(FROM_PERIOD in _arguments(tool) for tool in self.view.tools)


def turn_of_seat(seat: Seat) -> Turn:
    """Open the current period of a seat. Every tool that only reads is called, which the journal notes the first time.

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
    return Turn(game.instance.environment, view, texts, past_periods)


def turn_of(game: Environment, seat: str = SINGLE_SEAT) -> Turn:
    """The next period of a game, without a trace: for the practice round, and for a form that is sent again."""
    view = period_view(game, seat)
    texts = {
        tool.name: call_of(game, seat, Notes(), tool.name, {})[0]
        for tool in readers(view)
        if tool.name != game.history_tool
    }
    past_periods = [game.observed(outcome, seat) for outcome in game.outcomes] if game.history_tool else []
    return Turn(game.instance.environment, view, texts, past_periods)


def _arguments(tool: Tool) -> Mapping[str, Any]:
    properties: Mapping[str, Any] = tool.input_schema.get("properties", {})
    return properties


def readers(view: PeriodView) -> list[Tool]:
    """The tools that only read and need no argument: all but those of the notes and the action."""
    return [tool for tool in view.tools if tool.name not in (WRITE, READ, view.action_tool)]
