"""The form of an answer that its tables give: sentences, rows and hidden runs."""

from typing import Annotated, Any

from pydantic import BaseModel, Field, create_model

from accounts.models import Organization
from analysis.answers.base import Answer, AnswerTable
from analysis.base.filters import Filter, LeaderboardFilter
from api.schemas.base import Out
from api.schemas.leaderboards.hidden import HiddenOut
from infrastructure.text.tables import as_records


def operation_of(answer: Answer) -> str:
    """The name of the API operation of an answer."""
    return answer.operation or f"answer_{answer.name.replace('-', '_')}"


def schema_of(answer: Answer) -> type[BaseModel]:
    """The schema with one list for each table of the answer's data, and with documented columns."""
    name = "".join(word.title() for word in answer.name.split("-"))
    fields: dict[str, Any] = {
        key.replace("-", "_"): (list[_row_schema(f"{name}{key.title()}Row", table)], Field(description=table.about))  # type: ignore[misc]  # made here
        for key, table in answer.tables.items()
        if table.read is None
    }
    if issubclass(answer.filter_class, LeaderboardFilter):
        fields["hidden"] = HiddenOut
    sentences = Annotated[list[str], Field(description="The answer in words.")]
    return create_model(f"{name}Out", __base__=Out, sentences=sentences, **fields)


def _row_schema(name: str, table: AnswerTable) -> type[BaseModel]:
    columns: dict[str, Any] = {
        f"column_{index}": (
            column.value_type | None,
            Field(
                alias=column.name, description=". ".join(filter(None, [column.about.rstrip("."), column.unit])) or None
            ),
        )
        for index, column in enumerate(table.columns)
    }
    return create_model(name.replace("-", ""), __base__=Out, **columns)


def values_of(answer: Answer, organization: Organization, run_filter: Filter) -> dict[str, Any]:
    """The answer as the schema describes it."""
    data, hidden = answer.read(organization, run_filter), answer.hidden(organization, run_filter)
    rows = {
        name.replace("-", "_"): as_records(answer.table_of(name, data))
        for name, table in answer.tables.items()
        if table.read is None
    }
    return {"sentences": answer.sentences(data)} | rows | ({"hidden": HiddenOut.values(hidden)} if hidden else {})
