from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from api.schemas.base import USD, In, Out, Plain, choices
from api.schemas.stages import StagedOut
from environments.generation import GENERATORS
from environments.registry import ENVIRONMENTS, EXAMPLE
from infrastructure.money import usd
from runs.launching.plan import WORDINGS, difficulty_names, variant_names
from runs.models import Experiment, RunState
from runs.selectors.progress import Progress
from spending.forms import WHOLE_CENTS

RunAction = Literal["pause", "resume", "cancel", "retry"]


def _whole_cents(dollars: float | None) -> float | None:
    if dollars is not None and round(dollars, 2) != dollars:
        raise ValueError(WHOLE_CENTS)
    return dollars


Environment = Annotated[Plain, choices(ENVIRONMENTS)]
Difficulty = Annotated[Plain, choices(difficulty_names())]
Variant = Annotated[Plain, choices(variant_names())]
Budget = Annotated[
    float | None,
    Field(ge=0.01, le=1_000_000, description="US dollars, null for no cap.", examples=[25]),
    AfterValidator(_whole_cents),
]


class LaunchIn(In):
    """A matrix of runs: every agent on every environment, difficulty, variant and seed that go together."""

    environments: Annotated[list[Environment], Field(max_length=50, examples=[[EXAMPLE]])] = []
    difficulties: Annotated[list[Difficulty], Field(max_length=50, examples=[["BASIC"]])] = []
    """Litmus tests have `STANDARD`; `CUSTOM` goes with one environment and `settings`."""
    seeds: Annotated[Plain, Field(max_length=2000, examples=["0-2"])] = ""
    """Such as `0-2` or `0-11, 40`."""
    agents: Annotated[list[Annotated[Plain, Field(max_length=200)]], Field(max_length=1000, examples=[["random"]])] = []
    """Slugs, as `GET /agents` lists them."""
    variants: Annotated[list[Variant], Field(max_length=50, examples=[["main"]])] = ["main"]
    periods: Annotated[int | None, Field(ge=1, le=1_000_000, examples=[20])] = None
    """Length of each run; null for as many as the papers play."""
    generator: Annotated[Plain, choices(GENERATORS)] = "published"
    settings: Annotated[dict[Plain, float], Field(max_length=50)] = {}
    """Of the difficulty `CUSTOM`."""
    reasoning_wording: Annotated[Plain, choices(WORDINGS)] = "auto"
    rival: Annotated[Plain | None, Field(max_length=200)] = None
    """Slug of who holds the second seat in a market of two; null for the agent itself."""
    budget_usd: Budget = None
    """The experiment pauses when this is spent; nothing is lost."""
    run_budget_usd: Budget = None
    """Each run pauses when this is spent on it."""
    stages: Annotated[list[int], Field(max_length=20, examples=[[]])] = []
    """Compare exactly two agents in stages: seeds after each, such as `[4, 8, 12]`. It stops when the question is decided."""
    points: float | None = None
    """The difference of two agents, in points of 100, that the launch is planned to find; stages stop when it can hardly be
    found any more."""
    name: Annotated[Plain, Field(max_length=200, examples=["Pricing, first look"])] = ""
    """Made from the choices where it is empty."""


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
    seconds: Spread
    basis: str
    """What the figures rest on."""


class ExperimentChange(In):
    """What to change; what is left out stays."""

    name: Annotated[Plain, Field(max_length=1000)] = ""
    budget_usd: Budget = None
    """Raising it resumes the runs that it had paused."""


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
    reserved_usd: USD
    """Set aside for calls in flight."""
    budget_usd: float | None
    launched_with: dict[str, Any]
    """What was launched, with which the same can be launched again."""
    estimate: EstimateOut | None
    """What the launch was expected to take."""
    created_by: str | None
    created_at: datetime

    @staticmethod
    def values(experiment: Experiment, progress: Progress) -> dict[str, Any]:
        by = experiment.created_by
        return ExperimentOut.from_row(
            experiment,
            state=progress.state,
            summary=progress.summary,
            is_done=not progress.unfinished,
            progress=min(1.0, progress.share),
            runs={"total": progress.total, "by_state": progress.counts},
            periods_played=progress.played,
            cost_usd=None if experiment.spec.get("imported") else usd(experiment.cost_nano),
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
