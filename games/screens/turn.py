"""The current period as its player sees it: prompts, tools, the answers of the read-only tools, past periods."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.tools import FROM_PERIOD, READ, WRITE
from environments.base import Environment, Tool
from environments.survey import Question
from runs.episodes.selectors import PeriodView

PastPeriod = Mapping[str, Any]
"""One past period, as returned by `Environment.observed`."""


@dataclass(frozen=True)
class Turn:
    """The knowledge of a player at the start of a period: the same texts and data that an agent gets.

    game: the game at the current period; forms may use only values that the tools print, and nothing hidden
    texts: the answers of the read-only tools, by tool, without the history
    past_periods: the past periods as returned by `Environment.observed`, the newest last
    """

    game: Environment
    view: PeriodView
    texts: Mapping[str, str]
    past_periods: Sequence[PastPeriod]

    @property
    def environment(self) -> str:
        return self.game.instance.environment

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The values of the instance that tools and prompts of the game show."""
        return self.game.instance.parameters

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
        """Whether the player can write notes. Surveys have no tools for notes."""
        return any(tool.name == WRITE for tool in self.view.tools)

    @property
    def task(self) -> list[str]:
        """The system prompt; for a survey the different texts of its questions."""
        return (
            [self.view.system]
            if self.view.system
            else list(dict.fromkeys(question.prompt for question in self.questions))
        )

    @property
    def tools(self) -> list[tuple[Tool, str]]:
        """(tool, its place on the page) of each tool."""
        locations = {WRITE: "Notes", READ: "Earlier notes", self.view.action_tool: "Your action"}
        locations |= {tool.name: "What happened so far" for tool in self.view.tools if FROM_PERIOD in _arguments(tool)}
        return [(tool, locations.get(tool.name, "on this page")) for tool in self.view.tools]

    @property
    def has_history(self) -> bool:
        return any(FROM_PERIOD in _arguments(tool) for tool in self.view.tools)


def _arguments(tool: Tool) -> Mapping[str, Any]:
    properties: Mapping[str, Any] = tool.input_schema.get("properties", {})
    return properties
