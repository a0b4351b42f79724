"""Base classes of baselines, and the adapter that lets a baseline play in place of a language model."""

import zlib
from abc import ABC, abstractmethod
from collections.abc import Generator
from typing import Any, ClassVar

import numpy as np

from agents.baselines.reading import unwrapped
from agents.llm import Reply, Request, ToolCall
from agents.tools import WRITE
from environments.base import SINGLE_SEAT, Environment, Instance

Call = tuple[str, dict[str, Any]]
"""A tool call: (tool name, arguments)."""

Play = Generator[Call, str, None]
"""Generator that yields tool calls, receives the tools' texts, and ends with the action tool."""

Choice = Generator[Call, str, tuple[dict[str, Any], str]]
"""Generator that yields calls of getters, receives the tools' texts, and returns an action and a note about it."""


class Baseline:
    """A rule that plays one instance. It keeps no state between periods; it reads the history from its tools.

    slug: stable name, as in the catalog of agents
    environments: the environments for which it is offered to users
    unoffered: other environments that it can play, to measure the result of random play
    clairvoyant: whether it reads hidden values of the instance, so that it is a reference and not a competitor
    repeat: number of the run among its runs on the instance, from 0; each has random numbers of its own
    """

    slug: ClassVar[str]
    title: ClassVar[str]
    description: ClassVar[str]
    environments: ClassVar[tuple[str, ...]]
    unoffered: ClassVar[tuple[str, ...]] = ()
    clairvoyant: ClassVar[bool] = False

    def __init__(
        self, instance: Instance, environment: type[Environment], seat: str = SINGLE_SEAT, variant: str = "main"
    ):
        self.instance = instance
        self.environment = environment
        self.seat = seat
        self.variant = variant
        self.repeat = 0

    def play(self, period: int) -> Play:
        """Play a period: write the note about the choice, then act. Like models, pass the action as a string."""
        action, note = yield from self.choose(period)
        yield WRITE, {"notes": note}
        yield self.environment.action_tool, {self.environment.action_argument: str(action)}

    def choose(self, period: int) -> Choice:
        raise NotImplementedError(f"{self.slug} answers questions and calls no tools.")

    def rng(self, period: int, key: str = "") -> np.random.Generator:
        """A random generator for one period, or for one question in it. Every replay gets the same random numbers."""
        stream = f"{self.slug} {self.seat} {key}".rstrip()
        # The first run has the random numbers that every run had when there were no repeats.
        repeat = [self.repeat] if self.repeat else []
        return np.random.default_rng([self.instance.seed, period, zlib.crc32(stream.encode()), *repeat])


class SurveyBaseline(Baseline, ABC):
    """A rule that answers each survey question from its text alone. It may also play environments with tools."""

    @abstractmethod
    def answer(self, prompt: str, rng: np.random.Generator) -> str:
        """The reply to a question, in the requested format."""


class BaselineLLM:
    """Adapter that lets a baseline act as an LLM: one call or answer for each query, no tokens, no cost."""

    def __init__(self, baseline: Baseline, period: int):
        self.baseline = baseline
        self.period = period
        self._play: Play | None = None

    def query(self, request: Request) -> Reply:
        if isinstance(self.baseline, SurveyBaseline) and not request.tools:
            text = self.baseline.answer(request.prompt, self.baseline.rng(self.period, request.key))
            return Reply(text=text, stop="end", model=self.baseline.slug)
        if self._play is None:
            self._play = self.baseline.play(self.period)
        if request.turns:
            result = request.turns[-1].results[-1]
            if result.is_error:
                raise AssertionError(f"The baseline {self.baseline.slug} made a wrong call: {result.text}")
            name, arguments = self._play.send(unwrapped(result.text))
        else:
            name, arguments = next(self._play)
        return Reply(
            calls=(ToolCall(f"call_{len(request.turns)}", name, arguments),),
            model=self.baseline.slug,
        )
