"""Plays a whole run in memory, without a database, for scripts, tests and the replay command."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from agents.baselines.base import Baseline, BaselineLLM
from agents.llm import LLM
from agents.loop import PeriodChat
from agents.survey import SurveyChat
from agents.tools import Notes
from environments.base import Environment, Instance
from environments.survey import Survey


def play(
    environment: Environment, llm: Callable[[str, int], LLM], notes: Mapping[str, Notes] | None = None
) -> Environment:
    """Play all remaining periods. Raises Stalled and the errors of `llm`.

    llm: returns the model for a seat and a period
    notes: earlier notes by seat
    """
    notes = notes or {seat: Notes() for seat in environment.seats}
    while not environment.finished:
        actions = {
            seat: _action(environment, llm(seat, environment.period), notes[seat], seat) for seat in environment.seats
        }
        environment.step(environment.joint_action(actions))
    return environment


def _action(environment: Environment, llm: LLM, notes: Notes, seat: str) -> dict[str, Any]:
    """Play the current period in one seat and return its action."""
    if isinstance(environment, Survey):
        survey = SurveyChat(environment)
        while not survey.finished:
            for position, request in survey.pending():
                survey.receive(position, llm.query(request))
        return survey.action
    chat = PeriodChat(environment, notes, seat)
    while chat.action is None:
        chat.receive(llm.query(chat.request()))
    return chat.action


def play_baseline(
    baseline: Callable[..., Baseline], instance: Instance, environment: type[Environment], **options: Any
) -> Environment:
    """Play a whole run with a baseline in every seat. Raises ValueError if the baseline does not play the environment.

    baseline: its class or a factory
    options: those of `Environment`
    """
    game = environment(instance, **options)
    agents = {seat: baseline(instance, environment, seat, game.variant) for seat in game.seats}
    for agent in agents.values():
        if environment.name not in (*agent.environments, *agent.unoffered):
            raise ValueError(f"{agent.title} does not play {environment.title}.")
    return play(game, lambda seat, period: BaselineLLM(agents[seat], period))


def replay(environment: Environment, raw_actions: Iterable[object]) -> Environment:
    """Play actions without an agent until the actions or the run end. Raises ToolError for an invalid action."""
    for raw in raw_actions:
        if environment.finished:
            break
        environment.step(environment.parse_joint(raw))
    return environment
