from dataclasses import asdict
from typing import Annotated, Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from ninja import Path, Query

from api.auth import ApiRequest
from api.protocol.operations import RUN, USUAL, Cursor, Id, Limit, answers, page_of, resource
from api.schemas.base import Page
from api.schemas.runs import NoteOut, PeriodOut, PeriodWithNotes, SeatTranscript, ToolOut, TranscriptOut, costs_of
from runs.models import Note, Period
from runs.selectors.experiments import run_or_404
from runs.transcripts import period_transcripts

router = resource("Periods, notes, transcripts")
Index = Annotated[int, Path(description="Counted from 0.", examples=[0])]


@router.get(f"{RUN}/periods", response=answers(Page[PeriodOut]), summary="List the periods of a run")
def list_periods(request: ApiRequest, run_id: Id, limit: Limit = USUAL, cursor: Cursor = None) -> Any:
    """What was done and what came of it, from the first period on. `action` and `outcome` are unrounded; their keys are
    those of the environment."""
    run = run_or_404(organization=request.auth.organization, run_id=run_id)
    rows = Period.objects.filter(run=run)
    return page_of(request, rows, limit, cursor, lambda period: PeriodOut.values(period, run), by="index")


@router.get(f"{RUN}/periods/{{int:index}}", response=answers(PeriodWithNotes), summary="Get a period")
def get_period(request: ApiRequest, run_id: Id, index: Index) -> Any:
    run = run_or_404(organization=request.auth.organization, run_id=run_id)
    period = get_object_or_404(Period, run=run, index=index)
    notes = Note.objects.filter(run=run, period_index=period.index)
    return PeriodOut.values(period, run) | {"notes": [NoteOut.values(note) for note in notes]}


@router.get(f"{RUN}/notes", response=answers(Page[NoteOut]), summary="List the notes of a run")
def list_notes(
    request: ApiRequest,
    run_id: Id,
    text: Annotated[str, Query(max_length=200, description="Only notes that hold this.")] = "",
    period: Annotated[int | None, Query(ge=0, le=32_767, description="Only notes of this period.")] = None,
    limit: Limit = USUAL,
    cursor: Cursor = None,
) -> Any:
    """What the agent wrote for itself, in the order it was written."""
    rows = Note.objects.filter(run=run_or_404(organization=request.auth.organization, run_id=run_id))
    if text:
        rows = rows.filter(text__icontains=text)
    if period is not None:
        rows = rows.filter(period_index=period)
    return page_of(request, rows, limit, cursor, NoteOut.values)


@router.get(
    f"{RUN}/periods/{{int:index}}/transcript", response=answers(TranscriptOut), summary="Get the transcript of a period"
)
def get_transcript(request: ApiRequest, run_id: Id, index: Index) -> Any:
    """Everything that was said in one period, by seat: prompts, tools, each query with its calls and their results. Of a
    period in play as far as it is."""
    run = run_or_404(organization=request.auth.organization, run_id=run_id)
    if index > run.periods_played or index >= run.periods or run.instance.reference is None:
        raise Http404
    seats = []
    for seat, talk in period_transcripts(run, index).items():
        exchanges = [asdict(exchange) | costs_of(exchange, run) for exchange in talk.exchanges]
        tools = [ToolOut.from_row(tool) for tool in talk.tools]
        player = run.agent_in(seat).slug
        seats.append(SeatTranscript.from_row(talk, seat=seat, player=player, tools=tools, exchanges=exchanges))
    return {"run": run.pk, "period": index, "seats": seats}
