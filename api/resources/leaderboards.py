from __future__ import annotations

from datetime import date
from typing import Annotated, Any

from django.http import HttpResponse, JsonResponse
from ninja import Query
from pydantic import BaseModel, Field

from analysis.base.table import Kind
from analysis.benchmark.filters import DIFFICULTIES
from analysis.board_figures import LITMUS_FIGURES, strip
from analysis.boards import benchmark_records, litmus_rows, records_of, table_of
from analysis.forms import FilterForm
from analysis.kinds import filter_form
from analysis.litmus.filters import SCOPES
from analysis.models import BoardKind
from analysis.views.answers import run_url
from api.auth import READ, ApiRequest
from api.protocol.errors import invalid, valid
from api.protocol.operations import answers, resource
from api.schemas.base import Plain, choices
from api.schemas.experiments import Variant
from api.schemas.leaderboards import BenchmarkOut, LitmusOut
from environments.generation import GENERATORS, MAX_SEED
from environments.registry import BENCHMARKS
from runs.selectors.experiments import experiment_or_404

router = resource("Leaderboards")
SEVERAL: dict[str, Any] = {"default_factory": list, "max_length": 20}
Several = Field(**SEVERAL)
Sort = Annotated[Plain, Field(max_length=80, description="A column, with a minus for descending.")]


class Board(BaseModel):
    """What both leaderboards can be narrowed to, as on their pages; what is left out is as by default there."""

    rows: Annotated[list[Annotated[Plain, choices(kind.value for kind in Kind)]], Several]
    generator: Annotated[Plain, choices(GENERATORS)] = "published"
    agents: Annotated[list[Plain], Field(description="By slug; all where left out.", **SEVERAL)]
    tag: Annotated[int | None, Field(ge=1, le=2**62, description="Of runs or experiments with this tag.")] = None
    start: Annotated[date | None, Field(description="Runs launched from this day on.")] = None
    end: Annotated[date | None, Field(description="Runs launched until this day.")] = None
    sort: Sort = ""


class BenchmarkFilters(Board):
    environments: Annotated[list[Annotated[Plain, choices(BENCHMARKS)]], Several]
    difficulties: Annotated[list[Annotated[Plain, choices(DIFFICULTIES)]], Several]
    variant: Variant = "main"
    periods: Annotated[int, Field(ge=1, le=1_000_000, description="Only runs of this length.")] = 100


class StripFilters(BenchmarkFilters):
    chart: Annotated[Plain, choices(BENCHMARKS), Field(description="Which environment the figure is of.")] = BENCHMARKS[
        0
    ]


class LitmusFilters(Board):
    scope: Annotated[Plain, choices(SCOPES)] = "whole"
    experiment: Annotated[int, Field(ge=0, le=2**62, description="Of this experiment only; 0 for all.")] = 0


class LitmusFigureFilters(LitmusFilters):
    agent: Annotated[Plain, Field(max_length=200, description="Whose choice curves, by slug.")] = ""
    seed: Annotated[int | None, Field(ge=0, le=MAX_SEED, description="Of the Pareto plane; all where left out.")] = None


@router.get(
    "/leaderboards/benchmark",
    auth=READ,
    response=answers(BenchmarkOut, of_one=False),
    summary="Get the benchmark leaderboard",
)
def benchmark_leaderboard(request: ApiRequest, filters: Query[BenchmarkFilters]) -> Any:
    """Agents by environment and difficulty, the paper's published rows among them where they compare."""
    wanted = _checked_benchmark(request).chosen()
    records = benchmark_records(organization=request.auth.organization, table_filter=wanted)
    return BenchmarkOut.values(table_of(wanted, records))


@router.get(
    "/leaderboards/benchmark/figure",
    auth=READ,
    response=answers(dict, of_one=False),
    summary="Get the figure below the benchmark leaderboard",
)
def benchmark_figure(request: ApiRequest, filters: Query[StripFilters]) -> HttpResponse:
    """Scores of single runs by agent, as a Plotly figure."""
    wanted = _checked_benchmark(request).chosen()
    return JsonResponse(strip(request.auth.organization, wanted, run_url))


@router.get("/leaderboards/litmus", auth=READ, response=answers(LitmusOut), summary="Get the litmus table")
def litmus_leaderboard(request: ApiRequest, filters: Query[LitmusFilters]) -> Any:
    """Three scores an agent and test: litmus, competency, reliability."""
    wanted = _checked_litmus(request).chosen()
    records = records_of(organization=request.auth.organization, litmus_filter=wanted)
    return LitmusOut.values(litmus_rows(records, wanted))


def _figure_operation(name: str, sentence: str) -> None:
    @router.get(
        f"/leaderboards/litmus/{name}",
        auth=READ,
        response=answers(dict),
        operation_id=f"litmus_{name}",
        summary=f"Get the figure “{name}” of the litmus page",
        description=f"{sentence} As a Plotly figure.",
        url_name=f"litmus-{name}",
    )
    def figure(request: ApiRequest, filters: Query[LitmusFigureFilters]) -> HttpResponse:
        wanted = _checked_litmus(request).chosen()
        return JsonResponse(LITMUS_FIGURES[name](request.auth.organization, wanted, run_url))


for _name, _sentence in (
    ("pareto", "Revenue against equality of pay, with the frontier."),
    ("patience", "Choice curves of one agent's latest finished run."),
    ("names", "Litmus rates by the name that the prompt tells."),
    ("markets", "Prices of markets of two between the Nash price and the collusive one."),
):
    _figure_operation(_name, _sentence)


def _checked_benchmark(request: ApiRequest) -> FilterForm[Any]:
    return _checked(request, BoardKind.BENCHMARK)


def _checked_litmus(request: ApiRequest) -> FilterForm[Any]:
    form = _checked(request, BoardKind.LITMUS)
    if form.cleaned_data["experiment"]:
        wanted = form.cleaned_data["experiment"]
        experiment_or_404(organization=request.auth.organization, experiment_id=wanted)
    return form


def _checked(request: ApiRequest, kind: str) -> FilterForm[Any]:
    """Raises ApiError 422 for a wrong or empty filter, for which a page uses the default value."""
    empty = [name for name, values in request.GET.lists() if "" in values]
    if empty:
        raise invalid({empty[0]: "Give a value, or leave it out."})
    form = filter_form(request.auth.organization, kind, request.GET)
    valid(form)
    return form
