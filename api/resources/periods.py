from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from ninja import Path, Query

from api.auth import READ, ApiRequest
from api.protocol.operations import USUAL_LIMIT, Cursor, Id, Limit, answers, resource
from api.protocol.paging import page_of, window
from api.schemas.base import Page
from api.schemas.runs import NoteOut, PeriodOut, PeriodWithNotes, TranscriptOut
from infrastructure.money import usd
from runs.models import Note, Period, Run
from runs.selectors.runs import run_or_404
from runs.transcripts import Transcript, period_transcripts

router = resource("Periods, notes, transcripts")
Index = Annotated[int, Path(description="Counted from 0.", examples=[0])]


@router.get(
    "/runs/{int:run_id}/periods", auth=READ, response=answers(Page[PeriodOut]), summary="List the periods of a run"
)
def list_periods(request: ApiRequest, run_id: Id, limit: Limit = USUAL_LIMIT, cursor: Cursor = None) -> Any:
    """What was done and what came of it, from the first period on. `action` and `outcome` are unrounded; their keys are
    those of the environment."""
    run = run_or_404(organization=request.auth.organization, run_id=run_id)
    rows = Period.objects.filter(run=run)
    return page_of(
        rows, window(request, limit, cursor), lambda found: [PeriodOut.values(p, run) for p in found], by="index"
    )


@router.get(
    "/runs/{int:run_id}/periods/{int:index}", auth=READ, response=answers(PeriodWithNotes), summary="Get a period"
)
def get_period(request: ApiRequest, run_id: Id, index: Index) -> Any:
    run = run_or_404(organization=request.auth.organization, run_id=run_id)
    period = get_object_or_404(Period, run=run, index=index)
    notes = Note.objects.filter(run=run, period_index=period.index)
    return PeriodOut.values(period, run) | {"notes": [NoteOut.values(note) for note in notes]}


@router.get("/runs/{int:run_id}/notes", auth=READ, response=answers(Page[NoteOut]), summary="List the notes of a run")
def list_notes(
    request: ApiRequest,
    run_id: Id,
    text: Annotated[str, Query(max_length=200, description="Only notes that hold this.")] = "",
    period: Annotated[int | None, Query(ge=0, le=32_767, description="Only notes of this period.")] = None,
    limit: Limit = USUAL_LIMIT,
    cursor: Cursor = None,
) -> Any:
    """What the agent wrote for itself, in the order it was written."""
    rows = Note.objects.filter(run=run_or_404(organization=request.auth.organization, run_id=run_id))
    if text:
        rows = rows.filter(text__icontains=text)
    if period is not None:
        rows = rows.filter(period_index=period)
    return page_of(rows, window(request, limit, cursor), lambda notes: [NoteOut.values(note) for note in notes])


@router.get(
    "/runs/{int:run_id}/periods/{int:index}/transcript",
    auth=READ,
    response=answers(TranscriptOut),
    summary="Get the transcript of a period",
)
def get_transcript(request: ApiRequest, run_id: Id, index: Index) -> Any:
    """Everything that was said in one period, by seat: prompts, tools, each query with its calls and their results. Of a
    period in play as far as it is."""
    run = run_or_404(organization=request.auth.organization, run_id=run_id)
    if index > run.periods_played or index >= run.periods or run.instance.reference is None:
        raise Http404
    seats = [_seat(run, seat, talk) for seat, talk in period_transcripts(run, index).items()]
    return {"run": run.pk, "period": index, "seats": seats}


def _seat(run: Run, seat: str, talk: Transcript) -> dict[str, Any]:
    tools = [{"name": t.name, "description": t.description, "input_schema": t.input_schema} for t in talk.tools]
    exchanges = [asdict(one) | {"cost_usd": None if run.imported else usd(one.cost_nano)} for one in talk.exchanges]
    words = {"system": talk.system, "prompt": talk.prompt, "reply_prompt": talk.reply_prompt}
    return {"seat": seat, "player": run.agent_in(seat).slug, "tools": tools, "exchanges": exchanges} | words
