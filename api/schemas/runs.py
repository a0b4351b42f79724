from dataclasses import asdict
from typing import Annotated, Any

from pydantic import Field

from agents.llm import Sent
from agents.providers.learned import WIRE_NAMES
from api.schemas.base import Json, Out, Verbatim
from environments.base import Tool
from environments.registry import EXAMPLE
from infrastructure.money import usd
from infrastructure.schemas import In
from runs.launching.request import Budget
from runs.models import Agent, Instance, Note, Period, Run
from runs.transcripts import Transcript, TranscriptCall, TranscriptExchange


def costs_of(row: Any, run: Run) -> dict[str, float | None]:
    """The cost of a run, a period or a call, and of its thinking. None for an imported run, whose log has no cost."""
    costs = {"cost_usd": row.cost_nano, "thinking_usd": row.thinking_nano}
    return {name: None if run.imported else usd(nano) for name, nano in costs.items()}


class RunOut(
    Out,
    rows=(Run, Instance, Agent),
    fields=(
        "id experiment instance environment difficulty seed generator agent player_class rival variant repeat state "
        "reason pause_cause periods periods_played score solved queries input_tokens cached_tokens output_tokens "
        "reasoning_tokens cost_usd thinking_usd reserved_usd budget_usd created_at started_at progressed_at "
        "ended_at"
    ),
    sources={"agent": "slug"},
    nullable="cost_usd thinking_usd",
    details={
        "cost_usd": "Null for an imported run, whose log does not contain it.",
        "thinking_usd": "The part of the cost that is for thinking, as far as the provider counts its tokens.",
        "environment": Field(examples=[EXAMPLE]),
        "difficulty": Field(examples=["BASIC"]),
        "agent": Field(examples=["pricing-local-search"]),
        "player_class": Field(
            examples=["site"],
            description="`site` for what this site plays, `outside` for programs and `human` for people who play by the "
            "episode service.",
        ),
        "variant": Field(examples=["main"]),
        "repeat": "Number of the run among the runs of its agent on this instance in one launch, from 0.",
        "state": Field(examples=["finished"]),
        "pause_cause": "The cause of the pause; empty in every other state.",
        "reason": "Why the run is waiting, paused or stopped; empty otherwise.",
        "score": (
            "Unrounded score of a finished run as a share; pages print it times 100. Null for other runs. In a "
            "benchmark, 1 is the best possible."
        ),
        "reasoning_tokens": "Number of output tokens that were thinking, as far as the provider counts them.",
        "started_at": (
            "For an imported run, the time in its log if there is one: the local time of the log, labelled as UTC."
        ),
        "ended_at": "For an imported run, a time of its log; see `started_at`.",
    },
):
    rival: str | None
    budget_usd: float | None

    @classmethod
    def values(cls, run: Run) -> dict[str, Any]:
        rival = run.rival.slug if run.rival else None
        return cls.from_row(run, run.instance, run.agent, rival=rival, **costs_of(run, run))


class RunDetail(
    RunOut,
    rows=(Run,),
    fields="prompts metrics config prompt_version",
    sources={"metrics": "all_metrics"},
    details={
        "prompts": "Number of the run's own prompt; null for a built-in prompt.",
        "metrics": "Keys depend on the environment; null until the run has finished.",
        "config": "The agent's settings, frozen at launch.",
    },
): ...


class RunChange(In):
    budget_usd: Budget = None
    """A higher budget resumes a run that the old one had paused."""


class PeriodOut(
    Out,
    rows=(Period,),
    fields=(
        "run period action outcome quality ended queries input_tokens cached_tokens output_tokens reasoning_tokens "
        "cost_usd thinking_usd seconds played_at"
    ),
    sources={"period": "index", "outcome": "result", "played_at": "created_at"},
    nullable="cost_usd thinking_usd played_at",
    details={
        "period": "Counted from 0.",
        "quality": "Score of the period as a share of the best possible; null if that is not known.",
        "reasoning_tokens": "As `reasoning_tokens` of the run.",
        "thinking_usd": "As `thinking_usd` of the run.",
        "seconds": "Null if the log of an imported run does not contain it.",
        "played_at": "As `started_at` of the run; null if the log of an imported run does not contain it.",
    },
):
    action: Annotated[Json, Field(examples=[{"Product_1": 20.0}])]
    outcome: Annotated[Json, Field(examples=[{"total_profit": 512.4, "share_of_optimum": 0.91}])]

    @staticmethod
    def values(period: Period, run: Run) -> dict[str, Any]:
        played_at = period.created_at if run.knows_times else None
        return PeriodOut.from_row(period, played_at=played_at, **costs_of(period, run))


class NoteOut(
    Out,
    rows=(Note,),
    fields="id run period seat",
    sources={"period": "period_index"},
    details={"seat": Field(examples=["seat_0"])},
):
    text: Verbatim


class PeriodWithNotes(PeriodOut):
    notes: list[NoteOut]
    """What the agent wrote for itself in this period."""


class ToolOut(Out, rows=(Tool,), fields="name description input_schema"): ...


class CallOut(
    Out,
    rows=(TranscriptCall,),
    fields="name arguments raw result is_error ignored",
    details={"arguments": "Null if the model did not write a JSON object; see `raw`."},
):
    raw: Verbatim
    result: Verbatim


class SentOut(
    Out,
    rows=(Sent,),
    fields="wire forced effort thinking max_tokens left_out without_thinking service_tier",
    details={
        "wire": Field(
            json_schema_extra={"enum": list(WIRE_NAMES)},
            examples=["responses"],
            description="The provider's API, such as chat completions.",
        ),
        "forced": "Whether the request required the model to call a tool.",
        "effort": "Empty for the provider's default.",
        "thinking": Field(
            examples=["adaptive"], description="How the request asked for thinking; empty if it did not."
        ),
        "max_tokens": "The output limit; null for the provider's own.",
        "without_thinking": (
            "Whether the chat was sent without earlier thinking, because the provider rejected that thinking."
        ),
        "service_tier": "The requested service tier; empty for the provider's default.",
    },
):
    """The settings of a query to a model."""

    left_out: list[str]
    """Optional parts of a request that the provider refuses."""


class ExchangeOut(
    Out,
    rows=(TranscriptExchange,),
    fields=(
        "attempt step question thinking thinking_tokens text calls state error is_step model stop fault changes "
        "sent input_tokens cached_tokens output_tokens is_estimated cost_usd thinking_usd seconds started_at"
    ),
    nullable="cost_usd thinking_usd",
    details={
        "thinking_usd": "The part of the cost that is for thinking.",
        "thinking_tokens": "Thinking tokens, as far as the provider counts them. They are part of the output tokens.",
        "is_step": "False for a query that is not part of the chat: it has no reply, or a late one.",
        "stop": (
            "`tool_use`, `end`, `max_tokens`, `refusal`, `other`, or `invalid` where the provider refused what "
            "the model wrote."
        ),
        "is_estimated": "Whether the token counts are upper bounds, because the provider did not report them.",
    },
):
    question: Verbatim
    """The question of a survey, in which each query is a separate chat."""
    thinking: Verbatim
    """The thinking that the provider returned, often a summary; empty if it returned none."""
    text: Verbatim
    calls: list[CallOut]
    fault: Verbatim
    """Why the provider refused what the model wrote."""
    changes: Verbatim
    """The part of the chat that the provider left out, in the provider's words."""
    sent: SentOut | None
    """Settings of the query; null for baselines, outside agents, imported runs and replies of earlier versions."""


class SeatTranscript(Out):
    seat: str
    player: str
    """Slug of the agent in this seat."""
    system: Verbatim
    prompt: Verbatim
    reply_prompt: Verbatim
    tools: list[ToolOut]
    exchanges: list[ExchangeOut]

    @staticmethod
    def values(run: Run, seat: str, transcript: Transcript) -> dict[str, Any]:
        return SeatTranscript.from_row(
            transcript,
            seat=seat,
            player=run.agent_in(seat).slug,
            tools=[ToolOut.from_row(tool) for tool in transcript.tools],
            exchanges=[asdict(exchange) | costs_of(exchange, run) for exchange in transcript.exchanges],
        )


class TranscriptOut(Out):
    run: int
    period: int
    seats: list[SeatTranscript]
