"""The answers of the API: those of a schema of their own, and those with the rows of their tables."""

from typing import Annotated, Any, NamedTuple, cast

from pydantic import BaseModel, Field, create_model

from accounts.models import Organization
from analysis.answers.base import Answer, AnswerTable
from analysis.base.filters import Filter, LeaderboardFilter
from api.schemas.base import Out
from api.schemas.leaderboards.comparisons import ComparisonsOut
from api.schemas.leaderboards.hidden import HiddenOut
from api.schemas.leaderboards.leaderboards import BenchmarkOut, LitmusOut
from infrastructure.text.tables import as_records


class Form(NamedTuple):
    """How the API answers a question.

    schema: describes the answer and makes it by `values` from data and hidden runs; None for the form of the tables
    """

    path: str
    operation: str
    schema: Any = None


FORMS = {
    "compare": Form("/compare", "compare", ComparisonsOut),
    "compare-litmus": Form("/compare/litmus", "compare_litmus", ComparisonsOut),
    "findings": Form("/findings", "count_findings"),
    "leaderboard": Form("/leaderboards/benchmark", "benchmark_leaderboard", BenchmarkOut),
    "litmus": Form("/leaderboards/litmus", "litmus_leaderboard", LitmusOut),
    "behaviour": Form("/behaviour", "behaviour"),
}
"""Forms by name of the answer. Other answers have the form of the tables at `/answers/NAME`."""


def form_of(answer: Answer) -> Form:
    return FORMS.get(answer.name) or Form(f"/answers/{answer.name}", f"answer_{answer.name.replace('-', '_')}")


def schema_of(answer: Answer) -> type[BaseModel]:
    """The schema of its form, or one list for each table of the answer's data, with documented columns."""
    if schema := form_of(answer).schema:
        return cast(type[BaseModel], schema)
    name = "".join(word.title() for word in answer.name.split("-"))
    rows: dict[str, Any] = {key: _row_schema(key, table) for key, table in answer.own_tables.items()}
    fields: dict[str, Any] = {
        key: (list[row], Field(description=answer.tables[key].about))  # type: ignore[valid-type]  # made here
        for key, row in rows.items()
    }
    if issubclass(answer.filter_class, LeaderboardFilter):
        fields["hidden"] = HiddenOut
    sentences = Annotated[list[str], Field(description="The answer in words.")]
    return create_model(f"{name}Answer", __base__=Out, sentences=sentences, **fields)


def _row_schema(key: str, table: AnswerTable) -> type[BaseModel]:
    columns: dict[str, Any] = {}
    for column in table.columns:
        unit = f"Unit: {column.unit}." if column.unit else ""
        description = " ".join(filter(None, [column.description, unit])) or None
        columns[column.name] = (column.value_type | None, Field(description=description))
    return create_model(f"{key.title()}TableRow", __base__=Out, **columns)


def values_of(answer: Answer, organization: Organization, run_filter: Filter) -> dict[str, Any]:
    """The answer as the schema describes it."""
    data, hidden = answer.read(organization, run_filter), answer.hidden(organization, run_filter)
    if schema := form_of(answer).schema:
        return cast(dict[str, Any], schema.values(data, hidden))
    rows = {key: as_records(answer.table_of(key, data)) for key in answer.own_tables}
    return {"sentences": answer.sentences(data)} | rows | ({"hidden": HiddenOut.values(hidden)} if hidden else {})
