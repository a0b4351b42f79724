"""Schemas of answers get the types of their fields from the classes of the rows that they read."""

from dataclasses import dataclass

import pytest

from api.schemas.base import Out
from runs.models import Note, Period
from workspace.drift.models import Round


@dataclass
class Reading:
    label: str
    cost_nano: int
    part_nano: int | None

    @property
    def length(self) -> int:
        return len(self.label)


def properties_of(**options):
    class Row(Out, **options):
        """A row."""

    return Row.model_json_schema()["properties"]


def test_columns_give_types_choices_and_null():
    properties = properties_of(rows=(Round,), fields="number in_baseline state experiment facts")
    assert [properties[name].get("type") for name in properties] == ["integer", "boolean", "string", None, "object"]
    assert properties["state"]["enum"] == ["playing", "ended", "refused"]
    assert properties["experiment"]["anyOf"] == [{"type": "integer"}, {"type": "null"}]


def test_dataclasses_and_their_properties_give_types_and_nanos_become_dollars():
    properties = properties_of(rows=(Reading,), fields="label length cost_usd part_usd")
    assert [properties[name].get("type") for name in properties] == ["string", "integer", "number", None]
    assert properties["cost_usd"]["description"] == "US dollars."
    assert {"type": "null"} in properties["part_usd"]["anyOf"]


def test_the_first_row_with_the_attribute_gives_the_type():
    assert properties_of(rows=(Period, Note), fields="seat action")["seat"]["type"] == "string"
    assert properties_of(rows=(Reading, Note), fields="id label")["id"]["type"] == "integer"


def test_the_body_goes_before_the_rows_and_options_refine_fields():
    class Row(Out, rows=(Note,), fields="id text seat", nullable="seat", details={"id": "Its number."}):
        text: int
        more: int

    assert list(Row.model_fields) == ["id", "text", "seat", "more"]
    properties = Row.model_json_schema()["properties"]
    assert (properties["text"]["type"], properties["id"]["description"]) == ("integer", "Its number.")
    assert properties["seat"]["anyOf"] == [{"type": "string"}, {"type": "null"}]


def test_a_field_of_no_row_is_a_mistake():
    with pytest.raises(StopIteration):
        properties_of(rows=(Note,), fields="nothing_of_this_name")
