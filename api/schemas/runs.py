from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from agents.providers.learned import WIRE_NAMES
from api.schemas.base import USD, Json, Out, Verbatim
from environments.registry import EXAMPLE
from infrastructure.money import usd
from infrastructure.schemas import In
from runs.launching.request import Budget
from runs.models import Note, PauseCause, Period, PlayerClass, Run, RunState


def costs_of(row: Any, run: Run) -> dict[str, float | None]:
    """The cost of a run, a period or a call, and of its thinking. None for an imported run, whose log has no cost."""
    costs = {"cost_usd": row.cost_nano, "thinking_usd": row.thinking_nano}
    return {name: None if run.imported else usd(nano) for name, nano in costs.items()}


class RunOut(Out):
    id: int
    experiment: int
    instance: int
    environment: Annotated[str, Field(examples=[EXAMPLE])]
    difficulty: Annotated[str, Field(examples=["BASIC"])]
    seed: int
    generator: str
    agent: Annotated[str, Field(examples=["pricing-local-search"])]
    player_class: Annotated[str, Field(json_schema_extra={"enum": list(PlayerClass.values)}, examples=["site"])]
    """`site` for what this site plays, `outside` for programs and `human` for people who play by the episode service."""
    rival: str | None
    variant: Annotated[str, Field(examples=["main"])]
    state: Annotated[str, Field(json_schema_extra={"enum": list(RunState.values)}, examples=["finished"])]
    reason: str
    """Why the run is waiting, paused or stopped; empty otherwise."""
    pause_cause: Annotated[str, Field(json_schema_extra={"enum": ["", *PauseCause.values]})]
    """The cause of the pause; empty in every other state."""
    periods: int
    periods_played: int
    score: float | None
    """Unrounded score of a finished run; null for other runs. In a benchmark, 1 is the best possible."""
    solved: bool | None
    queries: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    reasoning_tokens: int
    """Number of output tokens that were thinking, as far as the provider counts them."""
    cost_usd: USD | None
    """Null for an imported run, whose log does not contain it."""
    thinking_usd: USD | None
    """The part of the cost that is for thinking, as far as the provider counts its tokens."""
    reserved_usd: USD
    budget_usd: float | None
    created_at: datetime
    started_at: datetime | None
    """For an imported run, the time in its log if there is one: the local time of the log, labelled as UTC."""
    progressed_at: datetime | None
    ended_at: datetime | None
    """For an imported run, a time of its log; see `started_at`."""

    @classmethod
    def values(cls, run: Run) -> dict[str, Any]:
        return cls.from_row(
            run,
            run.instance,
            agent=run.agent.slug,
            player_class=run.agent.player_class,
            rival=run.rival.slug if run.rival else None,
            **costs_of(run, run),
        )


class RunDetail(RunOut):
    prompts: int | None
    """Number of the run's own prompt; null for a built-in prompt."""
    metrics: dict[str, Any] | None
    """Keys depend on the environment; null until the run has finished."""
    config: dict[str, Any]
    """The agent's settings, frozen at launch."""
    prompt_version: str


class RunChange(In):
    budget_usd: Budget = None
    """A higher budget resumes a run that the old one had paused."""


class PeriodOut(Out):
    run: int
    period: int
    """Counted from 0."""
    action: Annotated[Json, Field(examples=[{"Product_1": 20.0}])]
    outcome: Annotated[Json, Field(examples=[{"total_profit": 512.4, "share_of_optimum": 0.91}])]
    quality: float | None
    """Score of the period as a share of the best possible; null if that is not known."""
    ended: bool
    queries: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    reasoning_tokens: int
    """As `reasoning_tokens` of the run."""
    cost_usd: USD | None
    thinking_usd: USD | None
    """As `thinking_usd` of the run."""
    seconds: float | None
    """Null if the log of an imported run does not contain it."""
    played_at: datetime | None
    """As `started_at` of the run; null if the log of an imported run does not contain it."""

    @staticmethod
    def values(period: Period, run: Run) -> dict[str, Any]:
        return PeriodOut.from_row(
            period,
            period=period.index,
            outcome=period.result,
            **costs_of(period, run),
            played_at=period.created_at if run.knows_times else None,
        )


class NoteOut(Out):
    id: int
    run: int
    period: int
    seat: Annotated[str, Field(examples=["seat_0"])]
    text: Verbatim

    @staticmethod
    def values(note: Note) -> dict[str, Any]:
        return NoteOut.from_row(note, period=note.period_index)


class PeriodWithNotes(PeriodOut):
    notes: list[NoteOut]
    """What the agent wrote for itself in this period."""


class ToolOut(Out):
    name: str
    description: str
    input_schema: dict[str, Any]


class CallOut(Out):
    name: str
    arguments: dict[str, Any] | None
    """Null if the model did not write a JSON object; see `raw`."""
    raw: Verbatim
    result: Verbatim
    is_error: bool
    ignored: bool


class SentOut(Out):
    """The settings of a query to a model."""

    wire: Annotated[str, Field(json_schema_extra={"enum": list(WIRE_NAMES)}, examples=["responses"])]
    """The provider's API, such as chat completions."""
    forced: bool
    """Whether the request required the model to call a tool."""
    effort: str
    """Empty for the provider's default."""
    thinking: Annotated[str, Field(examples=["adaptive"])]
    """How the request asked for thinking; empty if it did not."""
    max_tokens: int | None
    """The output limit; null for the provider's own."""
    left_out: list[str]
    """Optional parts of a request that the provider refuses."""
    without_thinking: bool
    """Whether the chat was sent without earlier thinking, because the provider rejected that thinking."""
    service_tier: str
    """The requested service tier; empty for the provider's default."""


class ExchangeOut(Out):
    attempt: int
    step: int
    question: Verbatim
    """The question of a survey, in which each query is a separate chat."""
    thinking: Verbatim
    """The thinking that the provider returned, often a summary; empty if it returned none."""
    thinking_tokens: int
    """Thinking tokens, as far as the provider counts them. They are part of the output tokens."""
    text: Verbatim
    calls: list[CallOut]
    state: str
    error: str
    is_step: bool
    """False for a query that is not part of the chat: it has no reply, or a late one."""
    model: str
    stop: str
    """`tool_use`, `end`, `max_tokens`, `refusal`, `other`, or `invalid` where the provider refused what the model wrote."""
    fault: Verbatim
    """Why the provider refused what the model wrote."""
    changes: Verbatim
    """The part of the chat that the provider left out, in the provider's words."""
    sent: SentOut | None
    """Settings of the query; null for baselines, outside agents, imported runs and replies of earlier versions."""
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    is_estimated: bool
    """Whether the token counts are upper bounds, because the provider did not report them."""
    cost_usd: USD | None
    thinking_usd: USD | None
    """The part of the cost that is for thinking."""
    seconds: float | None
    started_at: datetime | None


class SeatTranscript(Out):
    seat: str
    player: str
    """Slug of the agent in this seat."""
    system: Verbatim
    prompt: Verbatim
    reply_prompt: Verbatim
    tools: list[ToolOut]
    exchanges: list[ExchangeOut]


class TranscriptOut(Out):
    run: int
    period: int
    seats: list[SeatTranscript]
