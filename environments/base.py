"""Base classes of all environments: instances, tools, outcomes and the `Environment` interface."""

import hashlib
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from environments.declarations import LitmusTest, LowestScore, Score, Variant
from environments.prompts.sets import PromptSet, prompts_of
from environments.prompts.variants import base_variant

PERIODS = 100  # of a benchmark run (paper, section 3.1)

SINGLE_SEAT = "seat_0"


class ToolError(Exception):
    """A wrong tool call. The message is one plain sentence that the agent reads and corrects."""


class InvalidSettings(ValueError):
    """Settings from which no instance can be generated. `errors` maps each wrong setting to one plain sentence."""

    def __init__(self, errors: Mapping[str, str]):
        super().__init__(" ".join(errors.values()))
        self.errors = dict(errors)


@dataclass(frozen=True)
class Instance:
    """One problem, fully determined by environment, settings, generator and seed.

    parameters: values that an agent may learn from its tools
    hidden: values that an agent may not learn
    reference: values that scoring needs, computed from the others
    """

    environment: str
    difficulty: str
    seed: int
    generator: str
    settings: dict[str, Any] = field(hash=False)
    parameters: dict[str, Any] = field(hash=False)
    hidden: dict[str, Any] = field(hash=False)
    reference: dict[str, Any] = field(default_factory=dict, hash=False)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def content_hash(self) -> str:
        """SHA-256 of everything that defines the problem, without the reference, which is computed from it."""
        content = {name: value for name, value in vars(self).items() if name != "reference"}
        return hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()


@dataclass(frozen=True)
class Tool:
    """A tool of the agent. Later calls of a getter in the same chat return `again`, if it is set, to save tokens."""

    name: str
    description: str
    input_schema: dict[str, Any]
    again: str = ""


@dataclass(frozen=True)
class Outcome:
    """The result of one action.

    result: the environment's own keys, unrounded
    quality: the result as a share of the best possible result of the period (1 is optimal); None if unknown
    ended: whether the run ends with this period
    """

    period: int
    action: dict[str, Any]
    result: dict[str, Any]
    quality: float | None = None
    ended: bool = False

    def as_json(self) -> dict[str, Any]:
        return {"period": self.period, "action": self.action, **self.result}


Outcomes = Sequence[Outcome]
Getters = Mapping[str, Callable[[], object]]


class Environment(ABC):
    """A game in progress. Its whole state follows from the instance and the outcomes so far.

    outcomes: what happened in the periods already played, in order
    variant: prompt variant, such as 'main+concise'; the attribute is the built-in variant, 'main'
    reasoning: whether to use the wording for reasoning models, which does not mention reasoning
    periods: length of the run, by default `periods_of(variant, instance)`
    prompts: prompts with which the run began, by default the current prompts of the environment
    """

    name: ClassVar[str]
    title: ClassVar[str]
    short_title: ClassVar[str] = ""  # for tables, lists and filters; empty if the title is short enough
    score_meaning: ClassVar[str]  # explanation for readers who do not know the environment
    action_tool: ClassVar[str]
    action_argument: ClassVar[str]
    history_tool: ClassVar[str]
    no_history: ClassVar[str] = "There are no previous attempts yet."
    default_periods: ClassVar[int] = PERIODS
    variants: ClassVar[Mapping[str, Variant]] = {"main": Variant("the paper's prompt")}
    litmus: ClassVar[LitmusTest | None] = None
    lowest_score: ClassVar[LowestScore] = LowestScore()
    ranked_names: ClassVar[str] = ""  # pattern that matches the names which agents rank in their notes; empty if none
    prompt_set: ClassVar[PromptSet]

    def __init__(
        self,
        instance: Instance,
        outcomes: Sequence[Outcome] = (),
        *,
        variant: str = "main",
        reasoning: bool = False,
        periods: int | None = None,
        prompts: PromptSet | None = None,
    ):
        self.instance = instance
        self.prompts = prompts or prompts_of(self.prompt_set, variant)
        self.variant = base_variant(variant)
        self.reasoning = reasoning
        self.periods = self.periods_of(variant, instance) if periods is None else periods
        self.outcomes: list[Outcome] = []
        for outcome in outcomes:
            self.take(outcome)

    @classmethod
    def periods_of(cls, variant: str, instance: Instance) -> int:
        """Return the length of a complete run in periods."""
        return cls.default_periods

    @staticmethod
    def scored_periods(periods: int, most: int = 50) -> int:
        """Number of scored periods at the end of a run: `most`, or half of a run shorter than twice `most`."""
        return most if periods >= 2 * most else math.ceil(periods / 2)

    def take(self, outcome: Outcome) -> None:
        """Add one outcome to the state."""
        self.outcomes.append(outcome)

    def _record_outcome(
        self, action: dict[str, Any], result: dict[str, Any], quality: float | None = None, ended: bool = False
    ) -> Outcome:
        """Add the outcome of the current period to the state and return it."""
        outcome = Outcome(self.period, action, result, quality, ended)
        self.take(outcome)
        return outcome

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

    @cached_property
    def seats(self) -> tuple[str, ...]:
        return self.seats_of(self.variant)

    def system_prompt(self, seat: str = SINGLE_SEAT) -> str:
        return self.prompts.system(self.variant, reasoning=self.reasoning)

    def initial_prompt(self, seat: str = SINGLE_SEAT) -> str:
        return self.prompts.part("initial", self.variant)

    def reply_prompt(self, seat: str = SINGLE_SEAT) -> str:
        return self.prompts.part("reply", self.variant)

    def tools(self, seat: str = SINGLE_SEAT) -> tuple[Tool, ...]:
        """All tools in the order in which the agent sees them: getters, notes, action."""
        again = self.prompts.again(self.history_tool)
        specs = self.prompts.tools(self.variant, reasoning=self.reasoning)
        return tuple(Tool(**spec, again=again.get(spec["name"], "")) for spec in specs)

    def getters(self, seat: str) -> Getters:
        """The read-only tools by name, without the history tool."""
        return {}

    def history(self, seat: str, since: int = 0) -> str:
        """The text about the past periods from period `since` (at least 0) on."""
        return self.prompts.history((self.feedback(past, seat) for past in self.outcomes[since:]), self.no_history)

    def call(self, name: str, seat: str = SINGLE_SEAT, since: int = 0) -> str:
        """Return the answer of a getter; the history begins with period `since`. Raises ToolError for an unknown name."""
        getters = {self.history_tool: lambda: self.history(seat, since), **self.getters(seat)}
        if name not in getters:
            raise ToolError(f"There is no tool called {name}.")
        return self.prompts.answer(name, getters[name]())

    @abstractmethod
    def parse_action(self, raw: object, seat: str = SINGLE_SEAT) -> dict[str, Any]:
        """Turn the argument of the action tool into an action. Raises ToolError if the argument is invalid."""

    def joint_action(self, actions: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
        """Combine the actions of all seats into the action of the period."""
        return actions[SINGLE_SEAT]

    def parse_joint(self, raw: object) -> dict[str, Any]:
        """Parse the action of a whole period from outside input. Errors as in `parse_action`."""
        return self.parse_action(raw)

    def parse_logged(self, raw: object) -> dict[str, Any]:
        """Parse the action of a period in a published log, with the weaker checks of its code. Raises ToolError."""
        return self.parse_joint(raw)

    @abstractmethod
    def step(self, action: dict[str, Any]) -> Outcome:
        """Play one period with an action from `joint_action`, append its outcome and return it."""

    @abstractmethod
    def observed(self, outcome: Outcome, seat: str = SINGLE_SEAT) -> dict[str, Any]:
        """The facts of `feedback` about one past period and no others, as JSON with numbers rounded as printed. A plain
        value is about the whole period, a mapping has values or mappings by name.
        """

    @abstractmethod
    def feedback(self, outcome: Outcome, seat: str = SINGLE_SEAT) -> str:
        """The text about one past period in the history that the agent reads."""

    @classmethod
    @abstractmethod
    def score(cls, instance: Instance, outcomes: Outcomes, periods: int = PERIODS, variant: str = "main") -> Score:
        """The score of a run of `periods` periods. What it measures may depend on the variant."""

    @classmethod
    def score_note(cls, periods: int) -> str:
        """Say in a few words which of `periods` periods count for the score. Empty if all count, or only the last one."""
        return ""

    @classmethod
    @abstractmethod
    def metrics(cls, instance: Instance, outcomes: Outcomes, periods: int = PERIODS) -> dict[str, Any]: ...
