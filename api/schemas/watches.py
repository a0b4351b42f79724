from datetime import datetime
from typing import Annotated

from pydantic import Field

from api.schemas.base import USD, Out
from environments.generation import GENERATORS
from environments.registry import EXAMPLE
from infrastructure.schemas import In, Plain, choices
from runs.launching.request import Budget, Difficulty, Environment, Variant
from workspace.drift.models import Interval, NoticeKind, RoundState, WatchState

How = Annotated[Plain, choices(Interval.values)]


class WatchIn(In):
    """An agent, the instances that it replays, how often and for how much."""

    agent: Annotated[Plain, Field(max_length=200, examples=["random"])] = ""
    """Its slug."""
    environments: Annotated[list[Environment], Field(max_length=50, examples=[[EXAMPLE]])] = []
    """Benchmarks only."""
    difficulties: Annotated[list[Difficulty], Field(max_length=50, examples=[["BASIC"]])] = []
    seeds: Annotated[Plain, Field(max_length=2000, examples=["0-11"])] = ""
    variant: Variant = "main"
    periods: Annotated[int | None, Field(ge=1, le=1_000_000, examples=[20])] = None
    """Length of each run; null for as many as the papers play."""
    generator: Annotated[Plain, choices(GENERATORS)] = "published"
    interval: How = str(Interval.MONTH)
    budget_usd: Budget = None
    """Of a round. A dearer one is not launched, and a round pauses when this is spent."""


class WatchOut(Out):
    """A watch for drift."""

    id: int
    agent: str
    interval: Annotated[str, Field(json_schema_extra={"enum": list(Interval.values)})]
    state: Annotated[str, Field(json_schema_extra={"enum": list(WatchState.values)})]
    reason: str
    """Why it was paused or ended, if no person did it."""
    budget_usd: USD | None
    baseline: int
    """The number of the present baseline, from 1."""
    due_at: datetime | None
    """When the next round is launched; null for a watch that is not active."""
    environments: list[str]
    difficulties: list[str]
    seeds: str
    variants: list[str]
    periods: int | None
    generator: str


class RoundOut(Out):
    """A replay of a watch. The last of its numbers are null in a baseline."""

    round: int
    baseline: int
    in_baseline: bool
    """Whether later rounds are compared with it."""
    state: Annotated[str, Field(json_schema_extra={"enum": list(RoundState.values)})]
    experiment: int | None
    """Null for a round that was not launched."""
    score: float | None
    """Mean of its instances in points of 100."""
    calls: dict[str, dict[str, int]]
    """Calls by answering `model`, service `tier` and `upstream`."""
    created_at: datetime
    n: int | None
    """Instances with a score here and in the baseline."""
    difference: float | None
    """Of their means, in points of 100."""
    p: float | None
    level: float | None
    """The largest `p` that counts as a change."""
    can_tell: bool | None
    """Whether a change of all these instances in one direction would surely have counted."""


class NoticeOut(Out):
    kind: Annotated[str, Field(json_schema_extra={"enum": list(NoticeKind.values)})]
    round: int | None
    sentence: str


class WatchWithRounds(WatchOut):
    rounds: list[RoundOut]
    notices: list[NoticeOut]
    """What was noticed and nobody has marked as seen, the newest first."""


class SeenIn(In):
    new_baseline: bool = False
    """Whether the next rounds, due at once, become the baseline of later ones."""
