from typing import Any

from django.core.exceptions import ValidationError
from django.http import HttpResponse

from api.auth import LAUNCH, MANAGE, ApiRequest
from api.protocol.errors import invalid
from api.protocol.operations import USUAL, Cursor, Id, IdempotencyKey, Limit, answers, once, page_of, resource
from api.schemas.base import Page
from api.schemas.questions import QuestionEstimateOut, QuestionIn, QuestionWithAnswer, TranscriptQuestionOut
from infrastructure.money import nano
from runs.models import Agent, Run
from runs.selectors.answering import answering_agents
from workspace.questions import services
from workspace.questions.estimating import question_estimate
from workspace.questions.models import Question, Source
from workspace.questions.selectors import question_or_404, questions_of, runs_by_number

router = resource("Questions")
QUESTION = "/questions/{int:question_id}"
FIELDS = {"text": "question", "sources": "reads", "budget": "budget_usd"}
"""Names of fields of the body, by the name that the service gives them, where they differ."""


@router.get("/questions", response=answers(Page[TranscriptQuestionOut], has_404=False), summary="List questions")
def list_questions(request: ApiRequest, limit: Limit = USUAL, cursor: Cursor = None) -> Any:
    """List questions over transcripts, newest first."""
    rows = questions_of(organization=request.auth.organization)
    return page_of(request, rows, limit, cursor, TranscriptQuestionOut.values, newest=True)


@router.post(
    "/questions/estimate",
    response=answers(QuestionEstimateOut, has_404=False, body=True),
    summary="Estimate what a question would read and cost",
)
def estimate_question(request: ApiRequest, body: QuestionIn) -> Any:
    """Nothing is asked or sent."""
    runs, agent = _rows(request, body)
    if agent is None:
        raise invalid({"agent": "Name the agent whose model answers; a search by likeness costs nothing."})
    if not {*body.reads} <= {*Source.values}:
        raise invalid({"reads": "Choose what is read."})
    return QuestionEstimateOut.values(question_estimate(runs, body.reads, agent))


@router.post(
    "/questions",
    auth=LAUNCH,
    response=answers(TranscriptQuestionOut, 201, has_404=False, body=True),
    summary="Ask a question over transcripts",
)
def ask_question(request: ApiRequest, body: QuestionIn, idempotency_key: IdempotencyKey = None) -> HttpResponse:
    """A worker answers the question. Poll it every few seconds until `is_done`."""
    caller = request.auth

    def create(rows: tuple[list[Run], Agent | None]) -> dict[str, Any]:
        runs, agent = rows
        try:
            question = services.question_ask(
                organization=caller.organization,
                user=caller.user,
                text=body.question,
                runs=runs,
                sources=body.reads,
                agent=agent,
                budget_nano=nano(body.budget_usd),
            )
        except ValidationError as error:
            raise _invalid(error) from None
        return TranscriptQuestionOut.values(question)

    return once(request, idempotency_key, TranscriptQuestionOut, lambda: _rows(request, body), create)


@router.get(QUESTION, response=answers(QuestionWithAnswer), summary="Get a question with its answer")
def get_question(request: ApiRequest, question_id: Id) -> Any:
    return QuestionWithAnswer.values(_question(request, question_id))


@router.post(f"{QUESTION}/cancel", auth=LAUNCH, response=answers(TranscriptQuestionOut), summary="Cancel a question")
def cancel_question(request: ApiRequest, question_id: Id) -> Any:
    """Has no effect on a question that has ended."""
    services.question_cancel(question=_question(request, question_id))
    return TranscriptQuestionOut.values(_question(request, question_id))


@router.post(f"{QUESTION}/resume", auth=LAUNCH, response=answers(TranscriptQuestionOut), summary="Resume a question")
def resume_question(request: ApiRequest, question_id: Id) -> Any:
    """Continue a failed question, or ask again about parts without a usable answer. Paid answers are kept."""
    services.question_resume(question=_question(request, question_id))
    return TranscriptQuestionOut.values(_question(request, question_id))


@router.delete(QUESTION, auth=MANAGE, response=answers(None, 204), summary="Delete a question for good")
def delete_question(request: ApiRequest, question_id: Id) -> HttpResponse:
    """The runs and the booked cost stay."""
    services.question_delete(question=_question(request, question_id))
    return HttpResponse(status=204)


def _question(request: ApiRequest, question_id: int) -> Question:
    return question_or_404(organization=request.auth.organization, question_id=question_id)


def _rows(request: ApiRequest, body: QuestionIn) -> tuple[list[Run], Agent | None]:
    """The runs and the agent that the body names. Raises ApiError 422 with a sentence for a wrong field."""
    organization = request.auth.organization
    try:
        runs = runs_by_number(organization=organization, numbers=body.runs)
    except ValidationError as error:
        raise _invalid(error) from None
    if body.agent is None:
        return runs, None
    agent = answering_agents(organization=organization).filter(slug=body.agent).first()
    if agent is None:
        raise invalid({"agent": "There is no such agent with a model."})
    return runs, agent


def _invalid(error: ValidationError) -> Exception:
    messages = error.message_dict if hasattr(error, "error_dict") else {"question": error.messages}
    return invalid({FIELDS.get(field, field): sentences[0] for field, sentences in messages.items()})
