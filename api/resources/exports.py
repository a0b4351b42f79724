from __future__ import annotations

import json

from django.db.models import QuerySet
from django.http.response import HttpResponseBase

from accounts.pages.downloads import Reader, text_download
from api.auth import READ, ApiRequest
from api.protocol.operations import Id, answers, resource
from api.protocol.reading import finite
from api.schemas.base import ErrorOut
from runs.models import Run
from runs.selectors.experiments import experiment_or_404
from runs.selectors.runs import run_or_404
from transfer.writing import period_records

router = resource("Export")
JSON_LINES = "application/x-ndjson"
LINES = {
    "responses": {
        200: {
            "description": "One JSON object a line, one line a played period.",
            "content": {JSON_LINES: {"schema": {"type": "string"}}},
        }
    }
}
ERRORS = {status: model for status, model in answers(None).items() if model is ErrorOut}


@router.get(
    "/experiments/{int:experiment_id}/export",
    auth=READ,
    response={200: None} | ERRORS,
    openapi_extra=LINES,
    summary="Export an experiment as JSON Lines",
)
def export_experiment(request: ApiRequest, experiment_id: Id) -> HttpResponseBase:
    """Every played period of every run, with its notes, sent while it is read."""
    experiment = experiment_or_404(organization=request.auth.organization, experiment_id=experiment_id)
    return _lines(request, Run.objects.filter(experiment=experiment), f"experiment-{experiment.pk}.jsonl")


@router.get(
    "/runs/{int:run_id}/export",
    auth=READ,
    response={200: None} | ERRORS,
    openapi_extra=LINES,
    summary="Export a run as JSON Lines",
)
def export_run(request: ApiRequest, run_id: Id) -> HttpResponseBase:
    """Every played period, with its notes."""
    run = run_or_404(organization=request.auth.organization, run_id=run_id)
    return _lines(request, Run.objects.filter(pk=run.pk), f"run-{run.pk}.jsonl")


def _lines(request: ApiRequest, runs: QuerySet[Run], name: str) -> HttpResponseBase:
    lines = (json.dumps(finite(record), allow_nan=False) + "\n" for record in period_records(runs))
    reader = Reader(f"token {request.auth.token.pk}", request.auth.may_read)
    return text_download(request, name, JSON_LINES, lines, reader)
