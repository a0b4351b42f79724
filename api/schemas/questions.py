from dataclasses import asdict
from typing import Annotated, Any

from pydantic import Field

from api.schemas.base import USD, Out
from infrastructure.money import usd
from infrastructure.schemas import In, Plain, choices
from runs.launching.request import Budget
from workspace.questions.estimating import QuestionEstimate
from workspace.questions.models import MOST_TEXT, Question, Source
from workspace.questions.selectors import ShownFinding, ShownQuote, billed, findings_of, limits_of
from workspace.questions.services import MOST_RUNS

SourceName = Annotated[Plain, choices(Source.values)]
RunNumber = Annotated[int, Field(ge=1, le=2**62)]


class QuestionIn(In):
    """A question over the transcripts of runs."""

    question: Annotated[Plain, Field(max_length=MOST_TEXT)] = ""
    runs: Annotated[list[RunNumber], Field(max_length=MOST_RUNS)] = []
    """Numbers of the runs."""
    reads: Annotated[list[SourceName], Field(max_length=len(Source))] = [Source.NOTES.value, Source.ACTIONS.value]
    """The texts that are read."""
    agent: Annotated[Plain | None, Field(max_length=200)] = None
    """Slug of the agent whose model answers; null: the notes are searched by likeness, without a model."""
    budget_usd: Budget = None
    """The most that all calls may cost; needed with an agent."""


class QuestionEstimateOut(
    Out,
    rows=(QuestionEstimate,),
    fields="runs periods queries input_tokens output_tokens basis",
    details={
        "input_tokens": "Low, expected and high estimate of the tokens that are read.",
        "output_tokens": "Low, expected and high estimate of the tokens that are written.",
        "basis": "What the estimate rests on.",
    },
):
    cost_usd: list[USD] | None
    """Low, expected and high estimate; null without a known price."""
    most_call_usd: USD | None
    """The amount that one call reserves; the budget must be at least that."""

    @staticmethod
    def values(estimate: QuestionEstimate) -> dict[str, Any]:
        cost = None if estimate.cost_nano is None else [usd(amount) for amount in estimate.cost_nano]
        return QuestionEstimateOut.from_row(estimate, cost_usd=cost)


class QuoteOut(Out, rows=(ShownQuote,), fields="run period source text where", details={"where": "Path of its page."}):
    """A quote that was checked to be in the transcript."""


class TranscriptFindingOut(Out, rows=(ShownFinding,), fields="claim"):
    quotes: list[QuoteOut]


class TranscriptQuestionOut(
    Out,
    rows=(Question,),
    fields="id question state is_done agent is_by_model runs reads stage done total problem budget_usd created_at",
    sources={"question": "text", "runs": "number_of_runs", "reads": "sources"},
    details={
        "runs": "Number of the runs when it was asked.",
        "agent": "Name of the agent whose model answers; empty for a search by likeness.",
        "is_by_model": "Whether a model answers. Its answer is not part of any score.",
        "stage": "The current step of the worker; empty if no worker answers the question.",
        "total": "Progress within the stage.",
        "problem": "Why the question failed; empty if it did not fail.",
    },
):
    is_done: bool
    """Whether the question has ended and will not change."""
    agent: str
    reads: list[str]

    @staticmethod
    def values(question: Question) -> dict[str, Any]:
        return TranscriptQuestionOut.from_row(
            question, is_done=not question.is_working, agent=question.agent_name, question=question.text
        )


class QuestionWithAnswer(TranscriptQuestionOut):
    cost_usd: USD
    """Booked cost, counted in the monthly spend of the person who asked and of the organization."""
    answer: str
    """The answer in a few sentences, written by a model; empty until it is done."""
    findings: list[TranscriptFindingOut]
    limits: list[str]
    """Sentences on what the answer leaves out, such as quotes that were not in the transcript."""

    @staticmethod
    def values(question: Question) -> dict[str, Any]:
        result = question.result_left
        return TranscriptQuestionOut.values(question) | {
            "cost_usd": usd(billed(question)["cost"]),
            "answer": result["answer"] if result else "",
            "findings": [asdict(finding) for finding in findings_of(question)],
            "limits": limits_of(question, result) if result else [],
        }
