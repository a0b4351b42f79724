from datetime import datetime
from typing import Annotated

from pydantic import Field

from api.schemas.base import Out
from runs.stages.models import ComparisonState


class StageOut(Out):
    stage: int
    seeds: int
    """Seeds at the end of the stage."""
    instances: int
    """Planned for the end of the stage; with a look, those that both agents finished."""
    error_allowed: Annotated[float, Field(examples=[0.0164])]
    """The part of the 5 % that may be used up to this stage."""
    difference: float | None
    """The second agent's mean score minus the first's, in points of 100; null before the look."""
    p: float | None
    boundary: float | None
    """The experiment stops if `p` is at most this; 0 where no outcome of the stage can stop it."""
    conditional_power: float | None
    """The probability that a true difference of `points` would still be found."""
    computed_at: datetime | None


class StagedOut(Out):
    """A comparison of two agents in stages."""

    state: Annotated[str, Field(json_schema_extra={"enum": list(ComparisonState.values)}, examples=["different"])]
    sentence: str
    """The answer in words, with its numbers."""
    first: str
    second: str
    points: float | None
    """The planned difference."""
    stage: int
    """The stage being played, or the last one played."""
    stages: list[StageOut]
    ended_at: datetime | None
    saved_runs: int
    """Runs that were not played because the question was decided."""
    saved_usd: float | None
    """Their expected cost; null where it is not known."""


class SeedsOut(Out):
    """How many seeds a comparison of two agents takes."""

    answer: str
    """Seeds, runs and price in words; empty without `points`."""
    basis: str
    """What the answer rests on."""
    needed: int | None
    """Null where nothing is known of the spread, or no number is enough."""
    seeds: Annotated[str, Field(examples=["0-40"])]
    """Such many seeds; empty where the seeds of the body are enough or `needed` is null."""
    advice: str
    """What the stages of the body cannot do; empty where all of them can stop the experiment."""
    stages: Annotated[str, Field(examples=["8, 10, 12"])]
    """Suggested stages for the seeds of the body."""
