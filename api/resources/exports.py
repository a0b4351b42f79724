import json

from django.db.models import QuerySet
from django.http.response import HttpResponseBase

from accounts.pages.downloads import Reader, text_download
from api.auth import ApiRequest
from api.protocol.operations import EXPERIMENT, RUN, Id, answers, resource
from api.protocol.reading import finite
from reports.experiment import experiment_report
from reports.views import send
from runs.models import Run
from runs.selectors.experiments import experiment_or_404
from runs.selectors.runs import run_or_404
from transfer.writing import period_records

router = resource("Export")
JSON_LINES = "application/x-ndjson"
LINES = {"description": "One JSON object a line, one line a played period."}
FILE = {"responses": {200: {"description": "A file.", "content": {"text/html": {"schema": {"type": "string"}}}}}}
EXTRA = {"responses": {200: LINES | {"content": {JSON_LINES: {"schema": {"type": "string"}}}}}}


@router.get(
    f"{EXPERIMENT}/export", response=answers(None), openapi_extra=EXTRA, summary="Export an experiment as JSON Lines"
)
def export_experiment(request: ApiRequest, experiment_id: Id) -> HttpResponseBase:
    """Every played period of every run, with its notes, sent while it is read."""
    experiment = experiment_or_404(organization=request.auth.organization, experiment_id=experiment_id)
    return _lines(request, Run.objects.filter(experiment=experiment), f"experiment-{experiment.pk}.jsonl")


@router.get(f"{RUN}/export", response=answers(None), openapi_extra=EXTRA, summary="Export a run as JSON Lines")
def export_run(request: ApiRequest, run_id: Id) -> HttpResponseBase:
    """Every played period, with its notes."""
    run = run_or_404(organization=request.auth.organization, run_id=run_id)
    return _lines(request, Run.objects.filter(pk=run.pk), f"run-{run.pk}.jsonl")


@router.get(
    f"{EXPERIMENT}/report", response=answers(None), openapi_extra=FILE, summary="Get the report of an experiment"
)
def report_of_experiment(request: ApiRequest, experiment_id: Id) -> HttpResponseBase:
    """One HTML file with scores, figures, methods, versions and runs. It opens offline."""
    experiment = experiment_or_404(organization=request.auth.organization, experiment_id=experiment_id)
    made_by = request.auth.user.shown_name if request.auth.user else request.auth.actor
    report = experiment_report(experiment, made_by)
    return send(request, report, f"experiment-{experiment.pk}-report.html", _reader(request))


def _reader(request: ApiRequest) -> Reader:
    return Reader(f"token {request.auth.token.pk}", request.auth.may_read)


def _lines(request: ApiRequest, runs: QuerySet[Run], name: str) -> HttpResponseBase:
    lines = (json.dumps(finite(record), allow_nan=False) + "\n" for record in period_records(runs))
    return text_download(request, name, JSON_LINES, lines, _reader(request))
