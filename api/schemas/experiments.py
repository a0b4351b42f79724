from typing import Annotated, Any, Literal

from pydantic import Field

from api.schemas.base import Out
from infrastructure.money import usd
from infrastructure.schemas import In, Plain, choices
from runs.estimating.dry import EstimatedRange
from runs.estimating.estimates import Estimate
from runs.launching.fields import PriorityWord, RunsAtOnce
from runs.launching.request import Budget
from runs.models import Experiment, Priority, RunState
from runs.models.experiments import PRIORITIES
from runs.selectors.cells import RunCell
from runs.selectors.progress import Progress
from runs.stages.models import StagedComparison, StageLook
from runs.stages.planning import ComparisonPlan
from runs.stages.words import StageRow


class StageOut(
    Out,
    rows=(StageLook, StageRow),
    fields="stage seeds instances error_allowed difference p boundary conditional_power computed_at",
    nullable="boundary computed_at",
    details={
        "instances": (
            "Number of instances planned for the end of the stage; after the look, the number that both agents finished."
        ),
        "difference": "The second agent's mean score minus the first's, in points of 100; null before the look.",
        "boundary": "The experiment stops if `p` is at most this; 0 if no outcome of the stage can stop it.",
        "conditional_power": "The probability that a true difference of `points` would still be found.",
    },
):
    seeds: int
    """Number of seeds at the end of the stage."""
    error_allowed: Annotated[float, Field(examples=[0.0164])]
    """The part of the 5 % error rate that may be spent up to this stage."""


class StagedOut(
    Out,
    rows=(StagedComparison,),
    fields="state sentence first second points stage stages ended_at saved_runs",
    sources={"points": "planned"},
    details={
        "state": Field(examples=["different"]),
        "points": "The difference in points of 100 that the comparison is planned for.",
        "stage": "The stage being played, or the last one played.",
        "saved_runs": "Number of runs that were not played because the comparison was decided.",
    },
):
    """A comparison of two agents in stages."""

    sentence: str
    """The answer in words, with its numbers."""
    first: str
    second: str
    stages: list[StageOut]
    saved_usd: float | None
    """Expected cost of these runs; null if it is not known."""


class SeedsOut(
    Out,
    rows=(ComparisonPlan,),
    fields="answer basis needed seeds advice stages",
    details={
        "answer": "Seeds, runs and price in words; empty if `points` was left out.",
        "basis": "The data that the answer is based on.",
        "needed": "Number of seeds; null if the spread is unknown or no number of seeds is enough.",
        "seeds": Field(
            examples=["0-40"],
            description=("As many seeds as needed; empty if the seeds of the body are enough or `needed` is null."),
        ),
        "advice": "Limits of the stages in the body; empty if each of them can stop the experiment.",
        "stages": Field(examples=["8, 10, 12"], description="Suggested stages for the seeds of the body."),
    },
):
    """The number of seeds that a comparison of two agents needs."""


RunAction = Literal["pause", "resume", "cancel", "retry"]


class Spread(Out, rows=(EstimatedRange,), fields="low expected high"): ...


class EstimateOut(
    Out,
    rows=(Estimate,),
    fields="runs periods calls",
    details={"periods": "The maximum; a run can end earlier."},
):
    """The expected calls, tokens, cost and time of a launch."""

    input_tokens: int
    output_tokens: int
    input_tokens_range: Spread
    output_tokens_range: Spread
    cost_usd: Spread | None
    """US dollars; null if an agent's price is not known."""
    cost_usd_by_batch: Spread | None = None
    """Cost if calls are sent in batches; null if that is not possible."""
    cost_usd_by_flex: Spread | None = None
    """Cost with the service tier flex; null if that is not possible."""
    cost_usd_by_call: Spread | None = None
    """Cost with standard calls; null if neither batches nor flex are possible."""
    seconds: Spread
    kept_bytes: Spread | None = None
    """Size in the database after the runs; null in estimates of earlier versions."""
    open_bytes: Spread | None = None
    """Additional size during the runs: thinking that must be sent back to its provider until the period ends."""
    basis: str
    """The data that the estimate is based on."""
    why_wide: str = ""
    """What makes the range of the cost wide; empty if it is not."""
    price_changes: list[str] = []
    """A sentence for each agent whose list price has changed since it got its prices."""


class ExperimentChange(In):
    """The fields to change. A field that is left out stays as it is."""

    name: Annotated[Plain, Field(max_length=1000)] = ""
    budget_usd: Budget = None
    """A higher budget resumes the runs that the old one had paused."""
    priority: PriorityWord = "normal"
    runs_at_once: RunsAtOnce = None


class RunCounts(
    Out,
    rows=(Progress,),
    fields="total by_state",
    sources={"by_state": "counts"},
    details={"by_state": Field(examples=[{"finished": 5, "running": 1}])},
): ...


class ExperimentOut(
    Out,
    rows=(Experiment, Progress),
    fields=(
        "id name state summary is_done progress runs periods_played cost_usd thinking_usd reserved_usd budget_usd "
        "priority runs_at_once launched_with estimate created_by created_at"
    ),
    sources={"launched_with": "spec"},
    nullable="cost_usd thinking_usd",
    details={
        "cost_usd": "Null for imported runs, whose logs do not contain it.",
        "thinking_usd": "The part of the cost that is for thinking, as far as providers count its tokens.",
        "launched_with": (
            "The settings of the launch as they are stored. Names and units differ from those of a request in part."
        ),
        "summary": Field(
            examples=["Cancelled: 2 of 6 runs finished, 4 cancelled"],
            description="State and numbers of runs in words, as on the pages.",
        ),
    },
):
    state: Annotated[str, Field(json_schema_extra={"enum": list(RunState.values)}, examples=["running"])]
    """Derived from the runs. `running`: at least one is running. `finished`: all needed runs are finished. `cancelled`: some
    runs were cancelled and all others finished."""
    is_done: bool
    """Whether every run has finished or was cancelled."""
    progress: Annotated[float, Field(ge=0, le=1, examples=[0.83])]
    """The share of the needed runs' work that is done; 1 only if every needed run has finished."""
    runs: RunCounts
    budget_usd: float | None
    priority: Annotated[str, choices(PRIORITIES)]
    estimate: EstimateOut | None
    """The estimate that was made at launch."""
    created_by: str | None

    @staticmethod
    def values(experiment: Experiment, progress: Progress) -> dict[str, Any]:
        by, is_imported = experiment.created_by, experiment.spec.get("imported")
        return ExperimentOut.from_row(
            experiment,
            progress,
            is_done=not progress.unfinished,
            progress=min(1.0, progress.share),
            runs=RunCounts.from_row(progress),
            cost_usd=None if is_imported else usd(experiment.cost_nano),
            thinking_usd=None if is_imported else usd(progress.thinking_nano),
            priority=Priority(experiment.priority).word,
            created_by=by.shown_name if by else None,
        )


class RunGlance(
    Out,
    rows=(RunCell,),
    fields="id state progress score",
    details={"score": "As `score` of the run: an unrounded share, 1 at best in a benchmark."},
): ...


class ExperimentWithRuns(ExperimentOut):
    staged: StagedOut | None
    """The staged comparison, with the look after each stage; null for a launch without stages."""
    run_states: list[RunGlance]
    """A short row for every run; `GET /runs?experiment=` returns more fields."""


class Done(Out):
    """The effect of an action."""

    changed: int
    """Number of runs or notices that the action changed; 0 if there was nothing left to change."""
