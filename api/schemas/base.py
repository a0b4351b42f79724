from __future__ import annotations

from typing import Annotated, Any, Generic, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema

Item = TypeVar("Item")


def _storable(text: str) -> str:
    if "\x00" in text:
        raise ValueError("A text has no NUL character.")
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError("This text has half a surrogate pair, which is no Unicode.")
    return text


Plain = Annotated[str, AfterValidator(_storable)]
"""A text that every database stores."""

Verbatim = Annotated[Any, WithJsonSchema({"type": "string"})]
"""Text of a model, told as it is: it may hold what is no valid Unicode."""

USD = Annotated[float, Field(description="US dollars.", examples=[0.42])]
Json = Annotated[dict[str, Any], Field(description="An object with the keys of its environment.")]


class In(BaseModel):
    """A request body: unknown fields are errors, and nothing is read as another type than it is."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, use_attribute_docstrings=True)


class Out(BaseModel):
    model_config = ConfigDict(use_attribute_docstrings=True)


class ErrorBody(Out):
    code: Annotated[str, Field(examples=["invalid"])]
    """A word for programs; it stays the same."""
    message: Annotated[str, Field(examples=["Choose at least one agent."])]
    """A sentence for people."""
    fields: Annotated[dict[str, str], Field(examples=[{"agents": "Choose at least one agent."}])]
    """A sentence for each wrong field; empty where no field is wrong."""


class ErrorOut(Out):
    error: ErrorBody


class Page(Out, Generic[Item]):
    items: list[Item]
    next_cursor: Annotated[str | None, Field(examples=["51.4PsYc2mV"])]
    """Send it as `cursor` for the next page; null on the last."""


def usd(nano: int) -> float:
    return nano / 1_000_000_000


def usd_or_none(nano: int | None) -> float | None:
    return None if nano is None else usd(nano)
