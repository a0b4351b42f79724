from typing import Annotated, Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from ninja import Path, Query
from pydantic import AfterValidator

from api.auth import LAUNCH, ApiRequest
from api.protocol.errors import invalid
from api.protocol.operations import RUN, USUAL, Cursor, Id, Limit, answers, given, page_of, resource
from api.resources.agents import agent_named
from api.resources.experiments import experiment_of
from api.resources.instances import Difficulty, Environment
from api.schemas import runs as schemas
from api.schemas.base import Page
from api.schemas.experiments import Done, RunAction
from api.schemas.leaderboards.findings import FindingsOut, RunFindingsOut
from environments.prompts.variants import base_variant
from environments.registry import variant_names
from infrastructure.money import nano
from infrastructure.schemas import Plain
from runs.findings.selectors import agent_table, run_report
from runs.models import Note, Period, Run, RunState
from runs.selectors.experiments import run_or_404
from runs.services.budgets import run_set_budget
from runs.services.control import runs_control
from runs.transcripts import period_transcripts

router = resource("Runs")


def _check_variant(variant: str) -> str:
    if base_variant(variant) not in variant_names():
        raise ValueError(f"This must be one of {', '.join(variant_names())}, or an own prompt such as main+concise.")
    return variant


Variant = Annotated[Plain, AfterValidator(_check_variant)]


def run_of(request: ApiRequest, run_id: int) -> Run:
    """The run of the caller's organization. Raises Http404."""
    return run_or_404(organization=request.auth.organization, run_id=run_id)


BULKY = ("instance__parameters", "instance__hidden", "instance__reference", "instance__settings", "config", "metrics")


@router.get("/runs", response=answers(Page[schemas.RunOut]), summary="List runs")
def list_runs(
    request: ApiRequest,
    experiment: Annotated[
        int | None, Query(ge=1, le=2**63 - 1, description="Number of an experiment: only its runs.")
    ] = None,
    agent: Annotated[Plain | None, Query(max_length=200, description="Slug of an agent: only its runs.")] = None,
    environment: Annotated[Environment | None, Query()] = None,
    difficulty: Annotated[Difficulty | None, Query()] = None,
    variant: Annotated[Variant | None, Query()] = None,
    state: Annotated[RunState | None, Query()] = None,
    limit: Limit = USUAL,
    cursor: Cursor = None,
) -> Any:
    """List runs, newest first. A run must fit all filters."""
    conditions = given(
        experiment=None if experiment is None else experiment_of(request, experiment),
        agent=agent_named(request, agent),
        instance__environment=environment,
        instance__difficulty=difficulty,
        variant=variant,
        state=state,
    )
    rows = Run.objects.filter(organization=request.auth.organization, **conditions).defer(*BULKY)
    rows = rows.select_related("instance", "agent", "rival")
    return page_of(request, rows, limit, cursor, schemas.RunOut.values, newest=True)


@router.get(RUN, response=answers(schemas.RunDetail), summary="Get a run")
def get_run(request: ApiRequest, run_id: Id) -> Any:
    return schemas.RunDetail.values(run_of(request, run_id))


@router.patch(RUN, auth=LAUNCH, response=answers(schemas.RunDetail, body=True), summary="Change the budget of a run")
def change_run(request: ApiRequest, run_id: Id, body: schemas.RunChange) -> Any:
    """A `budget_usd` of null removes the cap."""
    run = run_of(request, run_id)
    if not body.model_fields_set:
        raise invalid({"budget_usd": "This is needed."})
    run_set_budget(run=run, budget_nano=nano(body.budget_usd))
    run.refresh_from_db(fields=["state", "reason", "pause_cause"])
    return schemas.RunDetail.values(run)


@router.post(f"{RUN}/{{action}}", auth=LAUNCH, response=answers(Done), summary="Pause, resume, cancel or retry a run")
def act_on_run(request: ApiRequest, run_id: Id, action: RunAction) -> Any:
    """`pause` stops the run after its current model calls; `retry` queues a run that stalled or stopped because of errors."""
    runs = Run.objects.filter(pk=run_of(request, run_id).pk)
    return {"changed": runs_control(runs=runs, action=action, user=request.auth.actor)}


periods_router = resource("Periods, notes, transcripts")
Index = Annotated[int, Path(description="Counted from 0.", examples=[0])]


@periods_router.get(f"{RUN}/periods", response=answers(Page[schemas.PeriodOut]), summary="List the periods of a run")
def list_periods(request: ApiRequest, run_id: Id, limit: Limit = USUAL, cursor: Cursor = None) -> Any:
    """List periods with their action and outcome, from the first period on. Numbers are unrounded; keys depend on the
    environment."""
    run = run_of(request, run_id)
    rows = Period.objects.filter(run=run)
    return page_of(request, rows, limit, cursor, lambda period: schemas.PeriodOut.values(period, run), by="index")


@periods_router.get(f"{RUN}/periods/{{int:index}}", response=answers(schemas.PeriodWithNotes), summary="Get a period")
def get_period(request: ApiRequest, run_id: Id, index: Index) -> Any:
    run = run_of(request, run_id)
    period = get_object_or_404(Period, run=run, index=index)
    notes = Note.objects.filter(run=run, period_index=period.index)
    return schemas.PeriodOut.values(period, run) | {"notes": [schemas.NoteOut.from_row(note) for note in notes]}


@periods_router.get(f"{RUN}/notes", response=answers(Page[schemas.NoteOut]), summary="List the notes of a run")
def list_notes(
    request: ApiRequest,
    run_id: Id,
    text: Annotated[str, Query(max_length=200, description="Only notes that contain this text.")] = "",
    period: Annotated[int | None, Query(ge=0, le=32_767, description="Only notes of this period.")] = None,
    limit: Limit = USUAL,
    cursor: Cursor = None,
) -> Any:
    """List the notes that the agent wrote for itself, in the order of writing."""
    conditions = given(text__icontains=text or None, period_index=period)
    rows = Note.objects.filter(run=run_of(request, run_id), **conditions)
    return page_of(request, rows, limit, cursor, schemas.NoteOut.from_row)


@periods_router.get(
    f"{RUN}/periods/{{int:index}}/transcript",
    response=answers(schemas.TranscriptOut),
    summary="Get the transcript of a period",
)
def get_transcript(request: ApiRequest, run_id: Id, index: Index) -> Any:
    """The whole conversation of one period, by seat: prompts, tools, and each query with its calls and their results. While
    the period is being played, it is the conversation so far."""
    run = run_of(request, run_id)
    if index > run.periods_played or index >= run.periods or run.instance.reference is None:
        raise Http404
    transcripts = period_transcripts(run, index).items()
    seats = [schemas.SeatTranscript.values(run, seat, transcript) for seat, transcript in transcripts]
    return {"run": run.pk, "period": index, "seats": seats}


findings_router = resource("Findings")


@findings_router.get(f"{RUN}/findings", response=answers(RunFindingsOut), summary="Get the findings of a run")
def get_findings(request: ApiRequest, run_id: Id) -> Any:
    """List what fixed rules find in the periods of a finished run."""
    run = run_of(request, run_id)
    return RunFindingsOut.values(run, run_report(run))


@findings_router.get(
    "/findings", response=answers(FindingsOut, has_404=False), summary="Count findings by agent and rule"
)
def count_findings(request: ApiRequest, environment: Annotated[Environment | None, Query()] = None) -> Any:
    """The number of finished runs of each agent that have a finding, by rule. A run of a market of two
    agents counts for both, each with the findings about its own seat."""
    return FindingsOut.values(agent_table(organization=request.auth.organization, environment=environment or ""))
