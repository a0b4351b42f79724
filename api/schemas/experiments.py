from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from api.schemas.base import USD, Out
from infrastructure.money import usd
from infrastructure.schemas import In, Plain, choices
from runs.launching.request import Budget, RunsAtOnce
from runs.models import Experiment, Priority, RunState
from runs.models.experiments import PRIORITIES
from runs.selectors.progress import Progress
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


RunAction = Literal["pause", "resume", "cancel", "retry"]


class Spread(Out):
    low: float
    expected: float
    high: float


class EstimateOut(Out):
    """What a launch is expected to take."""

    runs: int
    periods: int
    """At most: a run may end earlier."""
    calls: int
    input_tokens: int
    output_tokens: int
    input_tokens_range: Spread
    output_tokens_range: Spread
    cost_usd: Spread | None
    """US dollars; null where the price of an agent is not known."""
    cost_usd_by_batch: Spread | None = None
    """Asked by batch; null where that is not possible."""
    cost_usd_by_flex: Spread | None = None
    """Asked by the service tier flex; null where that is not possible."""
    cost_usd_by_call: Spread | None = None
    """The same launch by usual calls; null where neither a batch nor flex is possible."""
    seconds: Spread
    kept_bytes: Spread | None = None
    """On the disk of the database after the runs; null in estimates of earlier versions."""
    open_bytes: Spread | None = None
    """On it besides during the runs: thinking that its provider wants back until the period ends."""
    basis: str
    """What the figures rest on."""
    price_changes: list[str] = []
    """A sentence for each agent whose list price has changed since it got its prices."""


class ExperimentChange(In):
    """What to change; what is left out stays."""

    name: Annotated[Plain, Field(max_length=1000)] = ""
    budget_usd: Budget = None
    """Raising it resumes the runs that it had paused."""
    priority: Annotated[Plain, choices(PRIORITIES)] = "normal"
    """Among the experiments of the organization: runs of a higher priority are played first."""
    runs_at_once: RunsAtOnce = None
    """The most runs that are played at the same time; null for no limit."""


class RunCounts(Out):
    total: int
    by_state: Annotated[dict[str, int], Field(examples=[{"finished": 5, "running": 1}])]


class ExperimentOut(Out):
    id: int
    name: str
    state: Annotated[str, Field(json_schema_extra={"enum": list(RunState.values)}, examples=["running"])]
    """Follows from its runs: `running` while one is, `finished` only when all are that were needed; `cancelled` where some
    were cancelled and all others finished."""
    summary: Annotated[str, Field(examples=["Cancelled: 2 of 6 runs finished, 4 cancelled"])]
    """State and numbers of runs in words, as the pages say it."""
    is_done: bool
    """Whether every run has finished or was cancelled."""
    progress: Annotated[float, Field(ge=0, le=1, examples=[0.83])]
    """The share of the work that was played: 1 only where every needed run has finished."""
    runs: RunCounts
    periods_played: int
    cost_usd: USD | None
    """Null for imported runs, whose logs do not say."""
    thinking_usd: USD | None
    """The part of it that thinking is, as far as the providers count its tokens."""
    reserved_usd: USD
    """Set aside for calls in flight."""
    budget_usd: float | None
    priority: Annotated[str, choices(PRIORITIES)]
    runs_at_once: int | None
    launched_with: dict[str, Any]
    """What was launched, with which the same can be launched again."""
    estimate: EstimateOut | None
    """What the launch was expected to take."""
    created_by: str | None
    created_at: datetime

    @staticmethod
    def values(experiment: Experiment, progress: Progress) -> dict[str, Any]:
        by, is_imported = experiment.created_by, experiment.spec.get("imported")
        return ExperimentOut.from_row(
            experiment,
            state=progress.state,
            summary=progress.summary,
            is_done=not progress.unfinished,
            progress=min(1.0, progress.share),
            runs={"total": progress.total, "by_state": progress.counts},
            periods_played=progress.periods_played,
            cost_usd=None if is_imported else usd(experiment.cost_nano),
            thinking_usd=None if is_imported else usd(progress.thinking_nano),
            priority=Priority(experiment.priority).word,
            launched_with=experiment.spec,
            created_by=by.shown_name if by else None,
        )


class RunGlance(Out):
    id: int
    state: str
    progress: float
    score: float | None


class ExperimentWithRuns(ExperimentOut):
    staged: StagedOut | None
    """The comparison that it was launched for, with the look after each stage; null for a launch without stages."""
    run_states: list[RunGlance]
    """Every run at a glance; `GET /runs?experiment=` tells more of each."""


class Done(Out):
    """What an action did."""

    changed: int
    """How many runs it met; 0 where all were past that already."""
