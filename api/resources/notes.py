from typing import Annotated, Any, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Model, Q, QuerySet
from django.http import HttpResponse
from ninja import Query

from accounts.models import Endpoint
from analysis.notes.models import EntryKind, NotesAnalysis
from analysis.notes.search.selectors import SearchFilter, entries_of, hits_of, matching_ids
from analysis.notes.study.labels import names_estimated
from analysis.notes.study.selectors import analyses, analysis_or_404, scope_of, studied_agents
from analysis.notes.study.services import analysis_cancel, analysis_delete, analysis_resume, analysis_start
from api.auth import LAUNCH, MANAGE, ApiRequest
from api.protocol.errors import invalid
from api.protocol.operations import USUAL, Cursor, Id, IdempotencyKey, Limit, answers, once, page_of, resource
from api.resources.agents import agent_named
from api.resources.instances import Environment
from api.resources.runs import run_of
from api.schemas.base import OneOf, Page
from api.schemas.notes import AnalysisIn, AnalysisOut, AnalysisWithResult, HitOut, ScopeOut
from environments.registry import ENVIRONMENTS
from infrastructure.schemas import Plain
from runs.models import Agent
from runs.selectors.answering import answering_agents

router = resource("Notes")
Row = TypeVar("Row", bound=Model)
ANALYSIS = "/notes-analyses/{int:analysis_id}"
Kind = Annotated[str, OneOf(tuple(EntryKind.values))]


@router.get("/search", response=answers(Page[HitOut]), summary="Search notes and transcripts")
def search_texts(
    request: ApiRequest,
    q: Annotated[Plain, Query(min_length=1, max_length=500, description='Words and "phrases" that must all occur.')],
    run: Annotated[int | None, Query(ge=1, le=2**62, description="Number of a run: only its texts.")] = None,
    agent: Annotated[Plain | None, Query(max_length=200, description="Slug of the agent that wrote the text.")] = None,
    environment: Annotated[Environment | None, Query()] = None,
    kind: Annotated[Kind | None, Query()] = None,
    limit: Limit = USUAL,
    cursor: Cursor = None,
) -> Any:
    """List at most 1,000 matching texts, newest first. Case and accents are ignored; `word*` matches any ending."""
    organization = request.auth.organization
    if run is not None:
        run_of(request, run)
    author = agent_named(request, agent)
    search_filter = SearchFilter(q, run, author.pk if author else None, environment or "", kind or "")
    query = search_filter.query
    if not query.terms:
        raise invalid({"q": "Type a word; letters and digits count, punctuation does not."})
    rows = entries_of(organization, matching_ids(organization, search_filter, query))
    return page_of(
        request, rows, limit, cursor, HitOut.values, read=lambda entries: hits_of(entries, query), newest=True
    )


@router.get("/notes-analyses", response=answers(Page[AnalysisOut], has_404=False), summary="List analyses of notes")
def list_analyses(request: ApiRequest, limit: Limit = USUAL, cursor: Cursor = None) -> Any:
    """List analyses of notes, newest first."""
    rows = analyses(organization=request.auth.organization)
    return page_of(request, rows, limit, cursor, AnalysisOut.values, newest=True)


@router.post(
    "/notes-analyses/estimate",
    response=answers(ScopeOut, has_404=False, body=True),
    summary="Estimate what an analysis of notes would read and cost",
)
def estimate_analysis(request: ApiRequest, body: AnalysisIn) -> Any:
    """Nothing is started or sent."""
    organization = request.auth.organization
    _endpoint(request, _checked(body))
    namer = _namer(request, body)
    scope = scope_of(organization=organization, study_filter=body)
    labels_nano = None
    if namer is not None:
        writers = body.agents or studied_agents(organization=organization)
        _, labels_nano = names_estimated(namer, scope, len(writers))
    return ScopeOut.values(scope, body, labels_nano)


@router.post(
    "/notes-analyses",
    auth=LAUNCH,
    response=answers(AnalysisOut, 201, has_404=False, body=True),
    summary="Start an analysis of notes",
)
def start_analysis(request: ApiRequest, body: AnalysisIn, idempotency_key: IdempotencyKey = None) -> HttpResponse:
    """A worker computes the analysis. Poll it every few seconds until `is_done`."""
    caller = request.auth

    def create(endpoint: Endpoint | None) -> dict[str, Any]:
        try:
            analysis = analysis_start(
                organization=caller.organization,
                user=caller.user,
                study_filter=body,
                name=body.name,
                endpoint=endpoint,
                model=body.model,
                price=body.price,
                labels_by=_namer(request, body),
            )
        except ValidationError as error:
            messages = error.message_dict if hasattr(error, "error_dict") else {"environment": error.messages}
            raise invalid({field: sentences[0] for field, sentences in messages.items()}) from None
        return AnalysisOut.values(analysis)

    return once(request, idempotency_key, AnalysisOut, lambda: _endpoint(request, _checked(body)), create)


@router.get(ANALYSIS, response=answers(AnalysisWithResult), summary="Get an analysis of notes")
def get_analysis(request: ApiRequest, analysis_id: Id) -> Any:
    """Return the analysis with its result."""
    return AnalysisWithResult.values(_analysis(request, analysis_id))


@router.post(f"{ANALYSIS}/cancel", auth=LAUNCH, response=answers(AnalysisOut), summary="Cancel an analysis of notes")
def cancel_analysis(request: ApiRequest, analysis_id: Id) -> Any:
    """Has no effect on an analysis that has ended."""
    analysis_cancel(analysis=_analysis(request, analysis_id))
    return AnalysisOut.values(_analysis(request, analysis_id))


@router.post(f"{ANALYSIS}/resume", auth=LAUNCH, response=answers(AnalysisOut), summary="Resume an analysis of notes")
def resume_analysis(request: ApiRequest, analysis_id: Id) -> Any:
    """Continue a failed analysis. Vectors that were paid for are kept. Has no effect on other analyses."""
    analysis_resume(analysis=_analysis(request, analysis_id))
    return AnalysisOut.values(_analysis(request, analysis_id))


@router.delete(ANALYSIS, auth=MANAGE, response=answers(None, 204), summary="Delete an analysis of notes for good")
def delete_analysis(request: ApiRequest, analysis_id: Id) -> HttpResponse:
    """The notes themselves stay."""
    analysis_delete(analysis=_analysis(request, analysis_id))
    return HttpResponse(status=204)


def _analysis(request: ApiRequest, analysis_id: int) -> NotesAnalysis:
    return analysis_or_404(organization=request.auth.organization, analysis_id=analysis_id)


def _checked(body: AnalysisIn) -> AnalysisIn:
    """Return the body if it is valid. Raises ApiError 422 with a sentence for each wrong field."""
    if body.environment not in ENVIRONMENTS:
        raise invalid({"environment": "There is no such environment."})
    if body.start and body.end and body.start > body.end:
        raise invalid({"end": "The last day is before the first."})
    return body


def _namer(request: ApiRequest, body: AnalysisIn) -> Agent | None:
    agents = answering_agents(organization=request.auth.organization).filter(Q(slug=body.labels_by))
    return _chosen(body, "labels_by", agents, "There is no such agent with a model.")


def _endpoint(request: ApiRequest, body: AnalysisIn) -> Endpoint | None:
    endpoints = request.auth.organization.endpoints.filter(Q(pk=body.endpoint))
    return _chosen(body, "endpoint", endpoints, "There is no such endpoint.")


def _chosen(body: AnalysisIn, field: str, rows: QuerySet[Row], sentence: str) -> Row | None:
    """The row that a field of the body names; None for null. Raises ApiError 422 with the sentence if there is none."""
    if getattr(body, field) is None:
        return None
    row = rows.first()
    if row is None:
        raise invalid({field: sentence})
    return row
