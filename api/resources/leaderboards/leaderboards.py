from datetime import date, datetime
from typing import Annotated, Any

from django.http import Http404, HttpResponse, JsonResponse
from ninja import Query
from pydantic import BaseModel, Field

from analysis.base.filters import DIFFICULTIES, SCOPES, LitmusFilter, TableFilter
from analysis.base.table import Kind
from analysis.comparing.comparison import MOST_AGENTS
from analysis.figures.light import coloured
from analysis.forms import COMPARE_FORMS, BenchmarkForm, FilterForm, LitmusForm
from analysis.hidden import hidden_runs
from analysis.kinds import filter_form, from_json
from analysis.leaderboard_figures import LITMUS_FIGURES, strip
from analysis.leaderboards import comparisons_of
from analysis.models import Leaderboard, LeaderboardKind
from analysis.run_comparison.selectors import chosen_runs, parting_of
from analysis.saved.selectors import leaderboard_or_404
from analysis.views.answers import run_url
from api.auth import ApiRequest
from api.protocol.errors import invalid, valid
from api.protocol.operations import USUAL, Cursor, Id, Limit, answers, page_of, resource
from api.schemas.base import Out, Page
from api.schemas.leaderboards import comparisons, leaderboards
from api.schemas.leaderboards.mechanisms import MechanismsOut, mechanisms_out
from environments.generation import GENERATOR_LABELS, MAX_SEED
from environments.registry import BENCHMARKS
from infrastructure.schemas import Plain, choices
from runs.launching.request import Variant
from runs.selectors.experiments import experiment_or_404

router = resource("Leaderboards")
SEVERAL: dict[str, Any] = {"default_factory": list, "max_length": 20}
Several = Field(**SEVERAL)
Sort = Annotated[
    Plain, Field(max_length=80, description="The column to sort by; a leading minus sorts in descending order.")
]


class SharedFilters(BaseModel):
    """Filters of both leaderboards. A filter that is left out has the default of the leaderboard's page."""

    rows: Annotated[list[Annotated[Plain, choices(kind.value for kind in Kind)]], Several]
    generator: Annotated[Plain, choices(GENERATOR_LABELS)] = "published"
    agents: Annotated[list[Plain], Field(description="Slugs of the agents; all agents if left out.", **SEVERAL)]
    tag: Annotated[
        int | None,
        Field(ge=1, le=2**62, description="Id of a tag: only runs that have it, or whose experiment has it."),
    ] = None
    start: Annotated[date | None, Field(description="Runs launched from this day on.")] = None
    end: Annotated[date | None, Field(description="Runs launched until this day.")] = None
    mixed: Annotated[
        int,
        Field(
            ge=0,
            le=1,
            description="1: pool an agent's runs of different conditions; 0: leave out the rarer conditions.",
        ),
    ] = 0
    sort: Sort = ""


class BenchmarkFilters(SharedFilters):
    environments: Annotated[list[Annotated[Plain, choices(BENCHMARKS)]], Several]
    difficulties: Annotated[
        list[Plain],
        Field(
            description=f"Any of {', '.join(DIFFICULTIES)} and your own designs, such as `CUSTOM%2BTIGHT`.", **SEVERAL
        ),
    ]
    variant: Variant = "main"
    periods: Annotated[int, Field(ge=1, le=1_000_000, description="Only runs with this number of periods.")] = 100


class StripFilters(BenchmarkFilters):
    chart: Annotated[Plain, choices(BENCHMARKS), Field(description="The environment that the figure shows.")] = (
        BENCHMARKS[0]
    )


class LitmusFilters(SharedFilters):
    scope: Annotated[Plain, Field(description=f"{', '.join(SCOPES)} or the name of one of your designs.")] = "whole"
    experiment: Annotated[
        int, Field(ge=0, le=2**62, description="Number of an experiment: only its runs; 0 for all experiments.")
    ] = 0


class LitmusTableFilters(LitmusFilters):
    seed: Annotated[
        int | None,
        Field(ge=0, le=MAX_SEED, description="Only runs with this seed in the Pareto plane; all seeds if left out."),
    ] = None


class LitmusFigureFilters(LitmusTableFilters):
    agent: Annotated[
        Plain, Field(max_length=200, description="Slug of the agent whose choice curves the figure shows.")
    ] = ""


@router.get(
    "/leaderboards/benchmark",
    response=answers(leaderboards.BenchmarkOut, has_404=False),
    summary="Get the benchmark leaderboard",
)
def benchmark_leaderboard(request: ApiRequest, filters: Query[BenchmarkFilters]) -> Any:
    """Scores of agents by environment and difficulty, with the paper's published scores where they are comparable."""
    return leaderboards.benchmark_out(request.auth.organization, filter_from_request(request, BenchmarkForm))


@router.get(
    "/leaderboards/benchmark/figure",
    response=answers(dict, has_404=False),
    summary="Get the figure below the benchmark leaderboard",
)
def benchmark_figure(request: ApiRequest, filters: Query[StripFilters]) -> HttpResponse:
    """Return a Plotly figure with one point for each run, by agent."""
    return JsonResponse(
        coloured(strip(request.auth.organization, filter_from_request(request, BenchmarkForm), run_url))
    )


@router.get(
    "/compare", response=answers(comparisons.ComparisonsOut, has_404=False), summary="Compare two to four agents"
)
def compare(request: ApiRequest, filters: Query[BenchmarkFilters]) -> Any:
    """Compare every two `agents` in every environment, over the instances that both finished."""
    return _comparisons(request, LeaderboardKind.BENCHMARK)


@router.get(
    "/compare/litmus",
    response=answers(comparisons.ComparisonsOut),
    summary="Compare litmus scores of two to four agents",
)
def compare_litmus(request: ApiRequest, filters: Query[LitmusFilters]) -> Any:
    """Compare every two `agents` in every litmus test by their litmus scores under the main prompt."""
    return _comparisons(request, LeaderboardKind.LITMUS)


def _comparisons(request: ApiRequest, kind: LeaderboardKind) -> dict[str, Any]:
    organization, run_filter = request.auth.organization, filter_from_request(request, COMPARE_FORMS[kind])
    return comparisons.ComparisonsOut.values(
        comparisons_of(organization=organization, run_filter=run_filter),
        hidden_runs(organization=organization, run_filter=run_filter),
    )


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


@router.get("/mechanisms", response=answers(MechanismsOut, has_404=False), summary="Get correlates of scores")
def mechanisms(request: ApiRequest, filters: Query[BenchmarkFilters]) -> Any:
    """Tests of every two agents, their consistency by difficulty, and metrics against scores."""
    return mechanisms_out(request.auth.organization, filter_from_request(request, BenchmarkForm))


@router.get("/leaderboards/litmus", response=answers(leaderboards.LitmusOut), summary="Get the litmus table")
def litmus_leaderboard(request: ApiRequest, filters: Query[LitmusFilters]) -> Any:
    """For each agent and test: litmus score, competency score and reliability."""
    return leaderboards.litmus_out(request.auth.organization, filter_from_request(request, LitmusForm))


def _figure_operation(name: str, sentence: str) -> None:
    @router.get(
        f"/leaderboards/litmus/{name}",
        response=answers(dict),
        operation_id=f"litmus_{name}",
        summary=f"Get the figure “{name}” of the litmus page",
        description=f"{sentence} Return a Plotly figure.",
        url_name=f"litmus-{name}",
    )
    def figure(request: ApiRequest, filters: Query[LitmusFigureFilters]) -> HttpResponse:
        litmus_filter = filter_from_request(request, LitmusForm)
        return JsonResponse(coloured(LITMUS_FIGURES[name](request.auth.organization, litmus_filter, run_url)))


for _name, _sentence in (
    ("pareto", "Revenue against equality of pay, with the frontier."),
    ("patience", "Choice curves of one agent's latest finished run."),
    ("names", "Litmus rates by the name that the prompt tells."),
    ("markets", "Prices of markets of two between the Nash price and the collusive one."),
):
    _figure_operation(_name, _sentence)


def filter_from_request(request: ApiRequest, form_class: type[FilterForm[Any]]) -> Any:
    """The filter of the request. A comparison must name its agents.

    Raises ApiError 422 for a wrong or empty value. Pages use the default instead.
    """
    empty = [name for name, values in request.GET.lists() if "" in values]
    if empty:
        raise invalid({empty[0]: "Give a value, or leave it out."})
    form = filter_form(request.auth.organization, form_class, request.GET)
    if experiment_id := valid(form).get("experiment"):
        experiment_or_404(organization=request.auth.organization, experiment_id=experiment_id)
    run_filter = form.to_filter()
    if form_class in COMPARE_FORMS.values() and not 2 <= len(run_filter.agents) <= MOST_AGENTS:
        raise invalid({"agents": f"Name two to {MOST_AGENTS} agents."})
    return run_filter


class SavedOut(Out):
    id: int
    kind: Annotated[str, Field(json_schema_extra={"enum": LeaderboardKind.values})]
    name: str
    description: str
    is_pinned: bool
    """Whether the organization's home page shows the leaderboard."""
    filters: dict[str, Any]
    """Query parameters of `/leaderboards/benchmark` or `/leaderboards/litmus`, by `kind`."""
    created_at: datetime
    changed_at: datetime


class SavedWithRows(SavedOut):
    benchmark: leaderboards.BenchmarkOut | None
    """The table of a benchmark leaderboard; null if the leaderboard is of litmus tests."""
    litmus: leaderboards.LitmusOut | None


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
    benchmark = leaderboards.benchmark_out(organization, run_filter) if isinstance(run_filter, TableFilter) else None
    litmus = leaderboards.litmus_out(organization, run_filter) if isinstance(run_filter, LitmusFilter) else None
    return SavedWithRows.from_row(saved, benchmark=benchmark, litmus=litmus)
