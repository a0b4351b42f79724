from typing import Annotated, Any

from django.core.exceptions import ValidationError
from django.http import HttpResponse, JsonResponse
from ninja import Query
from pydantic import Field

from analysis.answers.generalizability import GENERALIZABILITY, GeneralizabilityFilter
from analysis.figures.light import coloured
from analysis.generalizability.outside import MOST_BYTES, MOST_SOURCE, MOST_UNIT, columns_of
from analysis.generalizability.players import own_players, published_players
from analysis.generalizability.selectors import measure_of, outside_column_or_404, unmatched
from analysis.generalizability.services import outside_column_delete, outside_columns_create
from analysis.models import OutsideColumn
from analysis.views.answers import run_url
from api.auth import MANAGE, ApiRequest
from api.protocol.errors import invalid
from api.protocol.operations import USUAL, Cursor, Id, IdempotencyKey, Limit, answers, once, page_of, resource
from api.resources.leaderboards.leaderboards import filter_from_request
from api.schemas.base import Out, Page
from infrastructure.schemas import In, Plain

router = resource("Outside columns")
COLUMN = "/outside-columns/{int:column_id}"
RELATION = "relation"


class OutsideColumnRow(Out, rows=(OutsideColumn,), fields="id name unit source created_at"):
    """A measure that members brought as CSV."""

    measure: Annotated[str, Field(examples=["outside.3"])]
    """Its name as `x` and `y` of the answer “Generalizability”."""
    values: dict[str, float]
    """Numbers by name of an agent, a model or a maker."""

    @classmethod
    def answer(cls, column: OutsideColumn) -> dict[str, Any]:
        return cls.from_row(column, measure=measure_of(column).key)


class OutsideColumnOut(OutsideColumnRow):
    unmatched: list[str]
    """Names that are not those of an agent, a published model or a maker."""


class OutsideColumnsOut(Out):
    columns: list[OutsideColumnRow]


class OutsideColumnsIn(In):
    """The columns of a CSV."""

    csv: Annotated[Plain, Field(max_length=MOST_BYTES, examples=["model,My benchmark\nGPT-5,62.5\nOpenAI,58\n"])]
    """The first line has headings. The first cell of each further line is a name, the other cells are numbers. Each column
    of numbers becomes an outside column."""
    unit: Annotated[Plain, Field(max_length=MOST_UNIT, examples=["points"])] = ""
    source: Annotated[Plain, Field(max_length=MOST_SOURCE)] = ""
    """Where the values come from."""


@router.get("/outside-columns", response=answers(Page[OutsideColumnRow], has_404=False), summary="List outside columns")
def list_outside_columns(request: ApiRequest, limit: Limit = USUAL, cursor: Cursor = None) -> Any:
    """List the columns in the order in which they were added."""
    rows = OutsideColumn.objects.filter(organization=request.auth.organization)
    return page_of(request, rows, limit, cursor, OutsideColumnRow.answer)


@router.post(
    "/outside-columns",
    auth=MANAGE,
    response=answers(OutsideColumnsOut, 201, has_404=False, body=True),
    summary="Add outside columns",
)
def create_outside_columns(
    request: ApiRequest, body: OutsideColumnsIn, idempotency_key: IdempotencyKey = None
) -> HttpResponse:
    """Add the columns of a CSV, all or none. Names are matched with agents, published models and makers when read."""
    caller = request.auth

    def prepare() -> dict[str, Any]:
        try:
            return {"columns": columns_of(body.csv), "unit": body.unit, "source": body.source}
        except ValidationError as error:
            raise invalid({"csv": error.messages[0]}) from None

    def create(values: dict[str, Any]) -> dict[str, Any]:
        try:
            columns = outside_columns_create(organization=caller.organization, user=caller.user, **values)
        except ValidationError as error:
            raise invalid({"csv": error.messages[0]}) from None
        return {"columns": list(map(OutsideColumnRow.answer, columns))}

    return once(request, idempotency_key, OutsideColumnsOut, prepare, create)


@router.get(COLUMN, response=answers(OutsideColumnOut), summary="Get an outside column")
def get_outside_column(request: ApiRequest, column_id: Id) -> Any:
    """Return the column with the names that match nothing."""
    organization = request.auth.organization
    column = outside_column_or_404(organization=organization, column_id=column_id)
    players = [*own_players(organization).values(), *published_players().values()]
    return OutsideColumnRow.answer(column) | {"unmatched": unmatched(column, players)}


@router.delete(COLUMN, auth=MANAGE, response=answers(None, 204), summary="Delete an outside column")
def delete_outside_column(request: ApiRequest, column_id: Id) -> HttpResponse:
    """It cannot be undone."""
    outside_column_delete(column=outside_column_or_404(organization=request.auth.organization, column_id=column_id))
    return HttpResponse(status=204)


@router.get(
    "/answers/generalizability/figure",
    response=answers(dict, has_404=False),
    summary="Get the figure of two measures",
)
def relation_figure(request: ApiRequest, filters: Query[GeneralizabilityFilter]) -> HttpResponse:
    """Return a Plotly figure with a point for each agent, model or maker."""
    run_filter = filter_from_request(request, GeneralizabilityFilter)
    return JsonResponse(
        coloured(GENERALIZABILITY.figures[RELATION].draw(request.auth.organization, run_filter, run_url))
    )
