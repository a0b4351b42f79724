from datetime import datetime
from typing import Annotated, Any

from django.http import Http404, HttpResponse, JsonResponse
from ninja import Query
from pydantic import Field

from analysis.answers import ANSWERS
from analysis.answers.base import Answer
from analysis.answers.leaderboard import strip
from analysis.answers.litmus import LITMUS
from analysis.base.benchmark_filters import TableFilter
from analysis.base.litmus_filters import LitmusFilter
from analysis.figures.light import coloured
from analysis.forms import FilterType, checked_filter
from analysis.models import Leaderboard
from analysis.run_comparison.selectors import chosen_runs, parting_of
from analysis.saved.kinds import KINDS, from_json
from analysis.saved.selectors import leaderboard_or_404
from analysis.views.answers import run_url
from api.auth import ApiRequest
from api.protocol.errors import invalid
from api.protocol.operations import USUAL, Cursor, Id, Limit, answers, page_of, resource
from api.schemas.answers import Form, form_of, schema_of, values_of
from api.schemas.base import Out, Page
from api.schemas.leaderboards import comparisons, leaderboards

router = resource("Leaderboards")


@router.get(
    "/leaderboards/benchmark/figure",
    response=answers(dict, has_404=False),
    summary="Get the figure below the benchmark leaderboard",
)
def benchmark_figure(request: ApiRequest, filters: Query[TableFilter]) -> HttpResponse:
    """Return a Plotly figure with one point for each run, by agent."""
    return JsonResponse(coloured(strip(request.auth.organization, filter_from_request(request, TableFilter), run_url)))


@router.get(
    "/compare/runs", response=answers(comparisons.RunComparisonOut), summary="Compare two to six runs of one instance"
)
def compare_runs(request: ApiRequest, run: Annotated[list[int], Query(max_length=20, default_factory=list)]) -> Any:
    """Say which run scored highest, and in which period the runs first differ."""
    selection = chosen_runs(organization=request.auth.organization, numbers=[str(number) for number in run])
    if selection.unknown:
        raise Http404
    if selection.refusal:
        raise invalid({"run": selection.refusal})
    return comparisons.RunComparisonOut.values(selection.compared, parting_of(selection.compared))


def _figure_operation(name: str, sentence: str) -> None:
    @router.get(
        f"/leaderboards/litmus/{name}",
        response=answers(dict),
        operation_id=f"litmus_{name}",
        summary=f"Get the figure “{name}” of the litmus page",
        description=f"{sentence} Return a Plotly figure.",
        url_name=f"litmus-{name}",
    )
    def figure(request: ApiRequest, filters: Query[LitmusFilter]) -> HttpResponse:
        litmus_filter = filter_from_request(request, LitmusFilter)
        return JsonResponse(coloured(LITMUS.figures[name].draw(request.auth.organization, litmus_filter, run_url)))


for _name, _figure in LITMUS.figures.items():
    _figure_operation(_name, _figure.about)


def _answer_operation(answer: Answer, form: Form, schema: Any, *, former: str = "") -> None:
    """An operation that returns an answer. former: the earlier name of the answer, which programs still use"""

    @router.get(
        form.path,
        response=answers(schema),
        operation_id=form.operation,
        deprecated=bool(former) or None,
        summary=f"Get the answer “{answer.title}”",
        description=f"{answer.question} It has {'; '.join(table.about for table in answer.own_tables.values())}.",
        url_name=f"answer-{former or answer.name}",
    )
    def get_answer(request: ApiRequest, filters: Query[answer.filter_class]) -> Any:  # type: ignore[name-defined]
        run_filter = filter_from_request(request, answer.filter_class)
        return values_of(answer, request.auth.organization, run_filter)


for _answer in ANSWERS.values():
    # Findings are counted in one environment only, and their operation is beside those of runs.
    if _answer.name != "findings":
        _schema = schema_of(_answer)
        _answer_operation(_answer, form_of(_answer), _schema)
        if _answer.former:
            _answer_operation(_answer, Form(f"/{_answer.former}", _answer.former), _schema, former=_answer.former)


def filter_from_request(request: ApiRequest, filter_class: type[FilterType]) -> FilterType:
    """The filter of the request. Raises ApiError for an empty value, and like `checked_filter`."""
    empty = [name for name, values in request.GET.lists() if "" in values]
    if empty:
        raise invalid({empty[0]: "Give a value, or leave it out."})
    return checked_filter(request.auth.organization, filter_class, request.GET)


class SavedOut(Out):
    id: int
    kind: Annotated[str, Field(json_schema_extra={"enum": list(KINDS)})]
    name: str
    description: str
    is_pinned: bool
    """Whether the organization's home page shows the leaderboard."""
    filters: dict[str, Any]
    """Query parameters of the operation of this kind of answer, such as `/leaderboards/benchmark`."""
    created_at: datetime
    changed_at: datetime


class SavedWithRows(SavedOut):
    benchmark: leaderboards.BenchmarkOut | None
    """The table of a benchmark leaderboard; null for other kinds."""
    litmus: leaderboards.LitmusOut | None
    """The table of a litmus leaderboard; null for other kinds."""
    answer: dict[str, Any] | None
    """The answer of any other kind, as its operation returns it; null for leaderboards."""


@router.get("/leaderboards", response=answers(Page[SavedOut], has_404=False), summary="List saved leaderboards")
def list_leaderboards(request: ApiRequest, limit: Limit = USUAL, cursor: Cursor = None) -> Any:
    """List saved leaderboards, newest first. `/leaderboards/benchmark` and `/leaderboards/litmus` take any filters."""
    rows = Leaderboard.objects.filter(organization=request.auth.organization)
    return page_of(request, rows, limit, cursor, SavedOut.from_row, newest=True)


@router.get("/leaderboards/{int:leaderboard_id}", response=answers(SavedWithRows), summary="Get a saved leaderboard")
def get_leaderboard(request: ApiRequest, leaderboard_id: Id) -> Any:
    """Return the leaderboard with its current table."""
    organization = request.auth.organization
    saved = leaderboard_or_404(organization=organization, leaderboard_id=leaderboard_id)
    run_filter = from_json(saved.kind, saved.filters)
    kind = KINDS[saved.kind]
    values = {saved.kind if kind.is_leaderboard else "answer": values_of(kind.answer, organization, run_filter)}
    return SavedWithRows.from_row(saved, **{"benchmark": None, "litmus": None, "answer": None} | values)
