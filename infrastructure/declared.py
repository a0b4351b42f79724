"""Form fields and command-line options of the fields that a Pydantic model declares."""

from argparse import ArgumentParser
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, cast, get_args

from django import forms
from pydantic import BaseModel, GetJsonSchemaHandler
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema


@dataclass(frozen=True)
class Choices:
    """The values of a field with their labels. Forms check them, since an organization may have further values.

    labels: empty if every organization has values of its own
    """

    labels: Mapping[Any, str] = field(default_factory=dict)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return handler(schema) | ({"enum": list(self.labels)} if self.labels else {})


def without_default(schema: dict[str, Any]) -> None:
    """Leave an empty default out of a JSON schema, where a value must be one of the choices. For `json_schema_extra`."""
    schema.pop("default", None)


@dataclass(frozen=True)
class ErrorSentence:
    """What a form says about a wrong number of a field."""

    text: str


def choices_of(info: FieldInfo) -> Choices | None:
    """The choices of a field, or of the entries of a tuple."""
    entries = get_args(info.annotation)[:1] if is_tuple(info) else ()
    metadata = [*info.metadata, *(part for entry in entries for part in getattr(entry, "__metadata__", ()))]
    return next((part for part in metadata if isinstance(part, Choices)), None)


def is_tuple(info: FieldInfo) -> bool:
    return getattr(info.annotation, "__origin__", None) is tuple


def _is_a(info: FieldInfo, kind: type) -> bool:
    """Whether the type of the field is `kind`, or `kind` or None."""
    return kind in (info.annotation, *get_args(info.annotation))


def _limit(info: FieldInfo, name: str) -> Any:
    return next((value for part in info.metadata if (value := getattr(part, name, None)) is not None), None)


def form_field(info: FieldInfo, help_text: str = "") -> forms.Field:
    """An optional form field. A field without a value has its default."""
    options: dict[str, Any] = {"required": False, "label": info.title, "help_text": help_text}
    choices = choices_of(info)
    pairs = list(choices.labels.items()) if choices else []
    if is_tuple(info):
        return forms.MultipleChoiceField(choices=pairs, widget=forms.CheckboxSelectMultiple(), **options)
    if _is_a(info, date):
        return forms.DateField(widget=forms.DateInput({"type": "date"}), **options)
    if _is_a(info, bool):
        return forms.BooleanField(**options)
    if _is_a(info, int) and choices:
        return forms.TypedChoiceField(choices=pairs, coerce=int, empty_value=None, **options)
    if _is_a(info, int) or _is_a(info, float):
        number_field = forms.IntegerField if _is_a(info, int) else forms.FloatField
        return number_field(
            error_messages={
                kind: part.text
                for part in info.metadata
                if isinstance(part, ErrorSentence)
                for kind in ("invalid", "min_value", "max_value")
            },
            min_value=_limit(info, "ge"),
            max_value=_limit(info, "le"),
            **options,
        )
    if choices:
        return forms.TypedChoiceField(choices=pairs, empty_value=info.default, **options)
    return forms.CharField(max_length=_limit(info, "max_length"), **options)


def cleaned(info: FieldInfo, value: Any) -> Any:
    """The value of a field from a value or its text; the default if it is empty. Raises ValidationError."""
    value = form_field(info).clean(value)
    return info.default if value in (None, "") else value


def set_choices(form: forms.Form, name: str, choices: Iterable[tuple[Any, Any]]) -> None:
    cast(forms.ChoiceField, form.fields[name]).choices = list(choices)


def values_of(form: forms.Form, model: type[BaseModel]) -> dict[str, Any]:
    """The valid values of the fields that the form has of the model. Empty and invalid values are left out."""
    form.is_valid()
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in form.cleaned_data.items()
        if name in model.model_fields and value not in (None, "", [])
    }


def add_option(parser: ArgumentParser, option: str, name: str, info: FieldInfo) -> None:
    """Add an option for the field `name`. Its value is None, a string or a list of strings, which a form validates."""
    choices = choices_of(info)
    labels = choices.labels if choices else {}
    default = f"; default: {info.default}" if isinstance(info.default, str) and info.default else ""
    values = f"One of {', '.join(map(str, labels))}{default}." if labels else ""
    text = " ".join(filter(None, [info.description, values])).replace("%", "%%")
    if _is_a(info, bool) or list(labels) == [0, 1]:
        parser.add_argument(option, dest=name, action="store_const", const="1", help=text)
    else:
        parser.add_argument(
            option, dest=name, nargs="+" if is_tuple(info) else None, metavar=option.strip("-").upper(), help=text
        )
