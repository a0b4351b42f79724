"""Playing a whole run in memory, without a database: for scripts, tests and the replay command."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from agents.baselines.base import Baseline, BaselineLLM
from agents.llm import LLM
from agents.loop import PeriodChat
from agents.notes import Notes
from environments.base import Environment, Instance


def play(
    environment: Environment, llm: Callable[[str, int], LLM], notes: Mapping[str, Notes] | None = None
) -> Environment:
    """Play every remaining period; `llm` gives who answers for a seat in a period, `notes` what a seat wrote before.

    Raises what `llm` raises, and Stalled.
    """
    notes = notes or {seat: Notes() for seat in environment.seats}
    while not environment.finished:
        actions = {}
        for seat in environment.seats:
            chat = PeriodChat(environment, notes[seat], seat)
            answering = llm(seat, environment.period)
            while chat.action is None:
                chat.receive(answering.query(chat.request()))
            actions[seat] = chat.action
        environment.step(environment.joint_action(actions))
    return environment


def play_baseline(
    baseline: type[Baseline], instance: Instance, environment: type[Environment], **options: Any
) -> Environment:
    """Play a whole run of a baseline, in every seat; options as of `Environment`."""
    game = environment(instance, **options)
    agents = {seat: baseline(instance, environment, seat) for seat in game.seats}
    return play(game, lambda seat, period: BaselineLLM(agents[seat], period))


def replay(environment: Environment, raw_actions: Iterable[object]) -> Environment:
    """Play actions without any agent, until they or the run end. Raises ToolError for an action that is invalid."""
    for raw in raw_actions:
        if environment.finished:
            break
        environment.step(environment.parse_action(raw))
    return environment
