"""Error messages for fields with a wrong type or format, one sentence a field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

SENTENCES = {
    "missing": "This is needed.",
    "extra_forbidden": "There is no such field.",
    "string_type": "This must be a string.",
    "string_unicode": "This string is not valid Unicode.",
    "string_too_long": "This has at most {max_length} characters.",
    "string_too_short": "This has at least {min_length} characters.",
    "int_type": "This must be a whole number.",
    "int_parsing": "This must be a whole number.",
    "int_parsing_size": "This number is too large.",
    "int_from_float": "This must be a whole number.",
    "float_type": "This must be a number.",
    "float_parsing": "This must be a number.",
    "finite_number": "This must be a finite number.",
    "bool_type": "This must be true or false.",
    "bool_parsing": "This must be true or false.",
    "list_type": "This must be a list.",
    "dict_type": "This must be an object.",
    "model_type": "This must be an object.",
    "model_attributes_type": "This must be an object.",
    "too_long": "This has at most {max_length} entries.",
    "greater_than_equal": "This must be at least {ge}.",
    "less_than_equal": "This must be at most {le}.",
    "literal_error": "This must be {expected}.",
    "enum": "This must be {expected}.",
    "date_from_datetime_parsing": "Write a date as 2026-01-31.",
    "date_parsing": "Write a date as 2026-01-31.",
    "value_error": "{error}",
}


def field_sentences(errors: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The first error of pydantic for each field, by the name of the field."""
    found: dict[str, str] = {}
    for error in errors:
        found.setdefault(_name(error["loc"]), _sentence(error))
    return found


def _name(place: tuple[Any, ...]) -> str:
    """('body', 'body', 'seeds', 0) to 'seeds.0': the first parts name the source and the body, not a field."""
    parts = [str(part) for part in place if part != "\x1e"][1:]
    if place and place[0] == "body" and parts[:1] == ["body"]:
        parts = parts[1:]
    return ".".join(parts) or "body"


def _sentence(error: Mapping[str, Any]) -> str:
    template = SENTENCES.get(error["type"])
    if template is None:
        return f"{error['msg']}."
    return template.format(**{"error": "", **error.get("ctx", {})})
