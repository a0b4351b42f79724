"""The vocabulary every environment shares: instances, tools, outcomes, scores."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar

from environments.declarations import LitmusTest, Variant
from environments.prompts import PromptSet

PERIODS = 100
"""Periods of a benchmark run (paper, section 3.1)."""

SINGLE_SEAT = "seat_0"


class ToolError(Exception):
    """A wrong tool call, told in one plain sentence for the agent to read and correct."""


class InvalidSettings(ValueError):
    """Settings of an instance that cannot be generated; `errors` maps a setting to one plain sentence."""

    def __init__(self, errors: Mapping[str, str]):
        super().__init__(" ".join(errors.values()))
        self.errors = dict(errors)


@dataclass(frozen=True)
class Instance:
    """One problem, fully determined by environment, settings, generator and seed.

    `parameters` is what an agent may learn from its tools, `hidden` what it may not, `reference` what scoring needs.
    """

    environment: str
    difficulty: str
    seed: int
    generator: str
    settings: dict[str, Any]
    parameters: dict[str, Any]
    hidden: dict[str, Any]
    reference: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def content_hash(self) -> str:
        """SHA-256 of everything that defines the problem; the reference, computed from it, does not count."""
        content = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "reference"}
        return hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()


@dataclass(frozen=True)
class Tool:
    """What an agent may call. `once` marks a getter that answers in full only once a period: tokens cost money."""

    name: str
    description: str
    input_schema: dict[str, Any]
    once: bool = False


@dataclass(frozen=True)
class Outcome:
    """What one action did. `result` holds the environment's own keys, unrounded.

    `quality` is the share of the best possible in that period (1 is optimal), None where it is not known.
    """

    period: int
    action: dict[str, Any]
    result: dict[str, Any]
    quality: float | None = None
    ended: bool = False

    def as_json(self) -> dict[str, Any]:
        return {"period": self.period, "action": self.action, **self.result}


@dataclass(frozen=True)
class Score:
    """A run's score as a share (1 is optimal); None with the reason in `note` when it cannot be known."""

    value: float | None
    solved: bool | None = None
    note: str = ""


class Environment(ABC):
    """A game in progress: an instance and the outcomes so far. Nothing else is remembered.

    Arguments
        instance: the problem
        outcomes: what happened in the periods already played, in order
        variant: name of the prompt variant
        reasoning: use the wording for reasoning models, which drops every mention of reasoning
        periods: length of the run, None for a whole one: `periods_of(variant, instance)`
        prompt_version: the version of the prompt set the run began with, empty for the current one
    """

    name: ClassVar[str]
    title: ClassVar[str]
    action_tool: ClassVar[str]
    action_argument: ClassVar[str]
    history_tool: ClassVar[str]
    default_periods: ClassVar[int] = PERIODS
    variants: ClassVar[Mapping[str, Variant]] = {"main": Variant("the paper's prompt")}
    litmus: ClassVar[LitmusTest | None] = None
    prompt_set: ClassVar[PromptSet]

    def __init__(
        self,
        instance: Instance,
        outcomes: Sequence[Outcome] = (),
        *,
        variant: str = "main",
        reasoning: bool = False,
        periods: int | None = None,
        prompt_version: str = "",
    ):
        self.instance = instance
        self.prompts = self.prompt_set.of_version(prompt_version)
        self.variant = variant
        self.reasoning = reasoning
        self.periods = self.periods_of(variant, instance) if periods is None else periods
        self.outcomes: list[Outcome] = []
        for outcome in outcomes:
            self._append(outcome)

    @classmethod
    def periods_of(cls, variant: str, instance: Instance) -> int:
        """Length of a whole run, which in some environments depends on what is asked."""
        return cls.default_periods

    def _append(self, outcome: Outcome) -> None:
        """Fold one outcome into the state; environments with more state than the list extend this."""
        self.outcomes.append(outcome)

    def take(self, outcome: Outcome) -> None:
        """Let the next of the outcomes already known count, as if it had been given at the start."""
        self._append(outcome)

    @property
    def period(self) -> int:
        return len(self.outcomes)

    @property
    def finished(self) -> bool:
        return self.period >= self.periods or (bool(self.outcomes) and self.outcomes[-1].ended)

    @classmethod
    def seats_of(cls, variant: str) -> tuple[str, ...]:
        """The players of a variant. Each has its own chat and notes; all act at the same time."""
        return (SINGLE_SEAT,)

    @property
    def seats(self) -> tuple[str, ...]:
        return self.seats_of(self.variant)

    # What the agent reads

    def system_prompt(self, seat: str = SINGLE_SEAT) -> str:
        return self.prompts.system(self.variant, reasoning=self.reasoning)

    def initial_prompt(self, seat: str = SINGLE_SEAT) -> str:
        return self.prompts.initial(self.variant)

    def reply_prompt(self, seat: str = SINGLE_SEAT) -> str:
        return self.prompts.text("reply")

    def tools(self, seat: str = SINGLE_SEAT) -> tuple[Tool, ...]:
        """Every tool in the order it is offered: getters, notes, the action last."""
        return tuple(
            Tool(spec["name"], spec["description"], spec["input_schema"], once=spec["name"] == self.history_tool)
            for spec in self.prompts.tools(self.variant, reasoning=self.reasoning)
        )

    @abstractmethod
    def call(self, name: str, seat: str = SINGLE_SEAT) -> str:
        """Answer a getter. Raises ToolError for a name that is none."""

    @abstractmethod
    def parse_action(self, raw: object, seat: str = SINGLE_SEAT) -> dict[str, Any]:
        """Turn the action tool's argument into an action, or raise ToolError saying what is wrong with it."""

    # What an action does

    def joint_action(self, actions: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
        """The action of the period from what each seat chose."""
        return actions[SINGLE_SEAT]

    def parse_joint(self, raw: object) -> dict[str, Any]:
        """The action of a period as it is stored, read from outside input. Errors as in `parse_action`."""
        return self.parse_action(raw)

    def parse_logged(self, raw: object) -> dict[str, Any]:
        """The action of a period that the published code accepted, which checked less. Errors as in `parse_joint`."""
        return self.parse_joint(raw)

    @abstractmethod
    def step(self, action: dict[str, Any]) -> Outcome:
        """Play one period with an action from `joint_action`, append its outcome and return it."""

    @abstractmethod
    def feedback(self, outcome: Outcome, seat: str = SINGLE_SEAT) -> str:
        """The text about one past period, as the history getter prints it."""

    # What a run is worth

    @classmethod
    @abstractmethod
    def score(
        cls, instance: Instance, outcomes: Sequence[Outcome], periods: int = PERIODS, variant: str = "main"
    ) -> Score:
        """The score of a run of `periods` periods under a prompt variant, which may decide what counts."""

    @classmethod
    def score_note(cls, periods: int) -> str:
        """Which periods of a run of `periods` count for its score, in a few words; empty if all or the last count."""
        return ""

    @classmethod
    @abstractmethod
    def metrics(cls, instance: Instance, outcomes: Sequence[Outcome], periods: int = PERIODS) -> dict[str, Any]: ...
