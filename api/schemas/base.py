from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Generic, TypeVar, get_type_hints

from django.db.models import Model
from ninja.orm.fields import TYPES as NINJA_TYPES
from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, WithJsonSchema
from pydantic_core import CoreSchema, core_schema

from infrastructure.money import usd_or_none
from infrastructure.schemas import choices

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

TYPES: dict[str, Any] = NINJA_TYPES | dict.fromkeys(("JSONField", "CompressedJSONField"), dict[str, Any])
"""The type of a field, by the class of the model's column."""


UNITS = {"usd": "US dollars", "seconds": "Seconds"}
"""Units by the last word of a field's name."""


def with_units(schema: dict[str, Any]) -> None:
    """Add the unit to the descriptions of fields whose names say it, unless they have it."""
    for name, field in schema.get("properties", {}).items():
        unit, text = UNITS.get(name.rpartition("_")[2], ""), field.get("description", "")
        if unit and unit.lower() not in text.lower():
            field["description"] = f"{unit}. {text}".strip()


class Out(BaseModel):
    """Base class of answers. The fields can follow from the classes of the rows that `from_row` reads:

    class NoteOut(Out, rows=(Note,), fields="id period text", sources={"period": "period_index"}):

    rows: models, dataclasses and named tuples, whose columns, fields and properties give the types
    fields: the names of the first fields in order; the class body annotates those whose type the rows do not give
    sources: the attribute of a field that has another name
    nullable: the names of fields that can be null although the attribute cannot
    details: the description of a field, or a whole `Field(...)`, by name; other descriptions are docstrings in the body
    """

    model_config = ConfigDict(use_attribute_docstrings=True, json_schema_extra=with_units)
    sources: ClassVar[Mapping[str, str]] = {}

    def __init_subclass__(
        cls,
        *,
        rows: tuple[type, ...] = (),
        fields: str = "",
        sources: Mapping[str, str] = MappingProxyType({}),
        nullable: str = "",
        details: Mapping[str, Any] = MappingProxyType({}),
        **options: Any,
    ):
        super().__init_subclass__(**options)
        cls.sources, annotated = {**cls.sources, **sources}, cls.__annotations__
        types = {name: annotated.get(name) or _type_of(rows, sources.get(name, name)) for name in fields.split()}
        types |= annotated | {name: types[name] | None for name in nullable.split()}
        for name, detail in details.items():
            types[name] = Annotated[types[name], Field(description=detail) if isinstance(detail, str) else detail]
        cls.__annotations__ = types

    @classmethod
    def from_row(cls, *rows: Any, **values: Any) -> dict[str, Any]:
        """The fields of an answer, from `values`, or else from the first row that has the attribute of the field.

        A field `x` is read from the attribute `x_id` if there is one. A field `x_usd` is `x_nano` in dollars.
        """
        return {
            name: values[name] if name in values else _attribute(rows, cls.sources.get(name, name))
            for name in cls.model_fields
        }


def _attribute(rows: tuple[Any, ...], name: str) -> Any:
    if name.endswith("_usd"):
        return usd_or_none(_attribute(rows, name.removesuffix("usd") + "nano"))
    row, attribute = next(
        (row, candidate) for row in rows for candidate in (f"{name}_id", name) if hasattr(row, candidate)
    )
    return getattr(row, attribute)


def _type_of(rows: tuple[type, ...], name: str) -> Any:
    """The type of a field that `from_row` reads from rows of these classes."""
    if name.endswith("_usd"):
        return USD if _type_of(rows, name.removesuffix("usd") + "nano") is int else USD | None
    types = (_declared_type(row, candidate) for row in rows for candidate in (f"{name}_id", name))
    return next(declared for declared in types if declared is not None)


def _declared_type(row: type, attribute: str) -> Any:
    """The type of a column, a field or a property of a class; None if it has none of this name."""
    if issubclass(row, Model) and attribute in {column.attname for column in row._meta.concrete_fields}:
        column: Any = row._meta.get_field(attribute)
        kind = TYPES[type(getattr(column, "target_field", column)).__name__]
        if column.choices:
            kind = Annotated[str, choices(value for value, _ in column.get_choices(include_blank=column.blank))]
        return kind | None if column.null else kind
    getter = getattr(row, attribute, None)
    if isinstance(getter, property | cached_property):
        return get_type_hints(getter.fget if isinstance(getter, property) else getter.func)["return"]
    return get_type_hints(row).get(attribute)


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
