from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, WithJsonSchema
from pydantic_core import CoreSchema, core_schema

from infrastructure.money import usd_or_none

Item = TypeVar("Item")


@dataclass(frozen=True)
class OneOf:
    """Type annotation of a string that must be one of the names; other values are errors."""

    names: tuple[str, ...]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.literal_schema(list(self.names))


Verbatim = Annotated[Any, WithJsonSchema({"type": "string"})]
"""The unchanged text of a model. It may contain invalid Unicode."""

USD = Annotated[float, Field(description="US dollars.", examples=[0.42])]
Json = Annotated[dict[str, Any], Field(description="An object whose keys depend on the environment.")]


class Out(BaseModel):
    model_config = ConfigDict(use_attribute_docstrings=True)

    @classmethod
    def from_row(cls, *rows: Any, **values: Any) -> dict[str, Any]:
        """The fields of an answer, from `values`, or else from the first row that has the attribute.

        A field `x` is read from the attribute `x_id` if there is one. A field `x_usd` is `x_nano` in dollars.
        """
        return {name: values[name] if name in values else _attribute(rows, name) for name in cls.model_fields}


def _attribute(rows: tuple[Any, ...], name: str) -> Any:
    if name.endswith("_usd"):
        return usd_or_none(_attribute(rows, name.removesuffix("usd") + "nano"))
    row, attribute = next(
        (row, candidate) for row in rows for candidate in (f"{name}_id", name) if hasattr(row, candidate)
    )
    return getattr(row, attribute)


class ErrorBody(Out):
    code: Annotated[str, Field(examples=["invalid"])]
    """A code for programs. It does not change between versions."""
    message: Annotated[str, Field(examples=["Choose at least one agent."])]
    """The error as a sentence for people."""
    fields: Annotated[dict[str, str], Field(examples=[{"agents": "Choose at least one agent."}])]
    """One sentence for each invalid field; empty if the error is about no field."""


class ErrorOut(Out):
    error: ErrorBody


class Page(Out, Generic[Item]):
    # To find the docstrings of each Page[...], Pydantic would search every frame of the stack at every start.
    model_config = ConfigDict(use_attribute_docstrings=False)

    items: list[Item]
    next_cursor: Annotated[
        str | None,
        Field(description="Send it as `cursor` for the next page; null on the last.", examples=["51.4PsYc2mV"]),
    ]
