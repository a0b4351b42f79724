import json
from typing import Annotated

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from ninja import Query

from accounts.pages.downloads import Reader, text_download
from analysis.agent_page.history import AgentFilter
from analysis.answers import TABLES, tables_of
from analysis.base.benchmark_filters import CompareFilter, TableFilter
from analysis.base.litmus_filters import LitmusFilter
from analysis.base.table import LeaderboardKind
from analysis.views.answers import table_file
from api.auth import ApiRequest
from api.protocol.bodies import finite
from api.protocol.operations import EXPERIMENT, RUN, Id, answers, resource
from api.resources.experiments import experiment_of
from api.resources.leaderboards.leaderboards import filter_from_request
from api.resources.runs import run_of
from api.schemas.base import OneOf
from infrastructure.text.tables import FORMS
from pages.reports.answers import comparison_report
from pages.reports.contents import experiment_report
from pages.reports.views import send
from runs.models import Run
from workspace.transfer.writing.records import period_records

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
FILE = {"responses": {200: {"description": "A file.", "content": {"text/html": {"schema": {"type": "string"}}}}}}
TABLE = {
    "responses": {
        200: {
            "description": "A file.",
            "content": {
                content_type: {"schema": {"type": "object" if form == "json" else "string"}}
                for form, (_, content_type, _) in FORMS.items()
            },
        }
    }
}
Form = Annotated[str, OneOf(tuple(FORMS))]


@router.get(
    f"{EXPERIMENT}/export", response=answers(None), openapi_extra=LINES, summary="Export an experiment as JSON Lines"
)
def export_experiment(request: ApiRequest, experiment_id: Id) -> HttpResponseBase:
    """One line for every played period of every run, with its notes. The answer is streamed."""
    runs = Run.objects.filter(experiment=experiment_of(request, experiment_id))
    return _lines(request, runs, f"experiment-{experiment_id}.jsonl")


@router.get(f"{RUN}/export", response=answers(None), openapi_extra=LINES, summary="Export a run as JSON Lines")
def export_run(request: ApiRequest, run_id: Id) -> HttpResponseBase:
    """One line for every played period, with its notes."""
    return _lines(request, Run.objects.filter(pk=run_of(request, run_id).pk), f"run-{run_id}.jsonl")


@router.get(
    f"{EXPERIMENT}/report", response=answers(None), openapi_extra=FILE, summary="Get the report of an experiment"
)
def report_of_experiment(request: ApiRequest, experiment_id: Id) -> HttpResponseBase:
    """One HTML file with scores, figures, methods, versions and runs. It opens offline."""
    report = experiment_report(experiment_of(request, experiment_id), _made_by(request))
    return send(request, report, f"experiment-{experiment_id}-report.html", _reader(request))


@router.get(
    "/compare/report",
    response=answers(None, has_404=False),
    openapi_extra=FILE,
    summary="Get the report of a comparison",
)
def report_of_comparison(request: ApiRequest, filters: Query[CompareFilter]) -> HttpResponseBase:
    """One HTML file that compares two to four `agents`, with scores, figures, methods and versions."""
    table_filter = filter_from_request(request, CompareFilter)
    report = comparison_report(request.auth.organization, table_filter, _made_by(request))
    return send(request, report, "comparison-report.html", _reader(request))


@router.get(
    "/tables", response=answers(None, has_404=False), openapi_extra=TABLE, summary="Get a table as JSON, CSV or LaTeX"
)
def get_table(
    request: ApiRequest,
    filters: Query[TableFilter],
    table: Annotated[str, OneOf(tables_of(LeaderboardKind.BENCHMARK))] = "leaderboard",
    form: Form = "json",
) -> HttpResponseBase:
    """A table that the pages offer as a download: scores, runs, comparisons of `agents`, trends,
    tests of agents and models, metrics."""
    return _table(request, table, form)


@router.get("/tables/litmus", response=answers(None), openapi_extra=TABLE, summary="Get a table of the litmus tests")
def get_table_of_litmus(
    request: ApiRequest,
    filters: Query[LitmusFilter],
    table: Annotated[str, OneOf(tables_of(LeaderboardKind.LITMUS))] = "litmus",
    form: Form = "json",
) -> HttpResponseBase:
    """A table that the litmus page offers as a download: scores, runs, the tables below its
    charts, comparisons of `agents`."""
    return _table(request, table, form)


@router.get(
    "/tables/agents", response=answers(None, has_404=False), openapi_extra=TABLE, summary="Get a table of agents"
)
def get_table_of_agents(
    request: ApiRequest,
    filters: Query[AgentFilter],
    table: Annotated[str, OneOf(tables_of(AgentFilter.kind))] = "history",
    form: Form = "json",
) -> HttpResponseBase:
    """Scores of agents under all conditions, or how often each rule found something in their runs."""
    return _table(request, table, form)


def _table(request: ApiRequest, name: str, form: str) -> HttpResponseBase:
    """Answer with the table of this name in the file format `form`, with the filters of the request."""
    answer, organization = TABLES[name], request.auth.organization
    run_filter = filter_from_request(request, answer.filter_class)
    return table_file(request, answer.table(name, organization, run_filter, form), form, name)


def _made_by(request: ApiRequest) -> str:
    return request.auth.user.shown_name if request.auth.user else request.auth.actor


def _reader(request: ApiRequest) -> Reader:
    return Reader(f"token {request.auth.token.pk}", request.auth.may_read)


def _lines(request: ApiRequest, runs: QuerySet[Run], name: str) -> HttpResponseBase:
    lines = (json.dumps(finite(record), allow_nan=False) + "\n" for record in period_records(runs))
    return text_download(request, name, JSON_LINES, lines, _reader(request))
