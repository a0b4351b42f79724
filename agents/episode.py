"""Playing a whole run in memory, without a database: for scripts, tests and the replay command."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from agents.baselines.base import Baseline, BaselineLLM
from agents.llm import LLM
from agents.loop import PeriodChat
from agents.notes import Notes
from environments.base import Environment, Instance


def play(environment: Environment, llm_for_period: Callable[[int], LLM], notes: Notes | None = None) -> Environment:
    """Play every remaining period with one agent. Raises what the LLM raises, and Stalled."""
    notes = notes or Notes()
    while not environment.finished:
        llm = llm_for_period(environment.period)
        chat = PeriodChat(environment, notes)
        while not chat.finished:
            chat.receive(llm.query(chat.request()))
        assert chat.action is not None
        environment.step(chat.action)
    return environment


def play_baseline(
    baseline: type[Baseline], instance: Instance, environment: type[Environment], **options: Any
) -> Environment:
    """Play a whole run of a baseline; options as of `Environment`."""
    agent = baseline(instance, environment)
    return play(environment(instance, **options), lambda period: BaselineLLM(agent, period))


def replay(environment: Environment, raw_actions: Iterable[object]) -> Environment:
    """Play actions without any agent, until they or the run end. Raises ToolError for an action that is invalid."""
    for raw in raw_actions:
        if environment.finished:
            break
        environment.step(environment.parse_action(raw))
    return environment
