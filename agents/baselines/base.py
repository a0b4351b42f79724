"""What a baseline is: a generator that yields tool calls and is sent their results."""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections.abc import Generator
from typing import Any, ClassVar

import numpy as np

from agents.llm import Reply, Request, ToolCall
from environments.base import SINGLE_SEAT, Environment, Instance

Play = Generator[tuple[str, dict[str, Any]], str, None]
"""Yields (tool name, arguments), receives the tool's text, ends with the action tool."""


class Baseline(ABC):
    """One rule that plays one instance. Stateless between periods: what it knows it reads from its tools.

    slug: stable name, as in the catalog of agents
    environments: the environments it plays
    """

    slug: ClassVar[str]
    title: ClassVar[str]
    description: ClassVar[str]
    environments: ClassVar[tuple[str, ...]]

    def __init__(self, instance: Instance, environment: type[Environment], seat: str = SINGLE_SEAT):
        self.instance = instance
        self.environment = environment
        self.seat = seat

    @abstractmethod
    def play(self, period: int) -> Play: ...

    def rng(self, period: int) -> np.random.Generator:
        """Random numbers of one period, the same whenever it is played."""
        return np.random.default_rng([self.instance.seed, period, zlib.crc32(f"{self.slug} {self.seat}".encode())])

    def act(self, action: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """The call of the action tool, with the dict as a string, as models write it."""
        return self.environment.action_tool, {self.environment.action_argument: str(action)}


class BaselineLLM:
    """Lets a baseline play where a language model does: one tool call a query, no tokens, no cost."""

    def __init__(self, baseline: Baseline, period: int):
        self.baseline = baseline
        self._play = baseline.play(period)

    def query(self, request: Request) -> Reply:
        if request.turns:
            result = request.turns[-1].results[-1]
            if result.is_error:
                raise AssertionError(f"The baseline {self.baseline.slug} made a wrong call: {result.text}")
            name, arguments = self._play.send(result.text)
        else:
            name, arguments = next(self._play)
        call = ToolCall(f"call_{len(request.turns)}", name, arguments)
        return Reply(calls=(call,), model=self.baseline.slug)
