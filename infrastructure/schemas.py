"""Base class of the schemas of data from outside. Types are strict, and each wrong value gets a plain sentence."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo, field_validator

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


def sentence_of(error: Mapping[str, Any]) -> str:
    """Return a sentence for an error of pydantic that says what is wrong with the value."""
    return SENTENCES.get(error["type"], "{msg}.").format_map({"error": "", "msg": error["msg"], **error.get("ctx", {})})


def choices(names: Iterable[str]) -> Any:
    """Return a field whose allowed values are only documented. A form or a LaunchPlan rejects other values."""
    return Field(json_schema_extra={"enum": list(names)})


def _storable(text: str) -> str:
    if "\x00" in text:
        raise ValueError("A string cannot have a NUL character.")
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError("This string has half a surrogate pair, which is not valid Unicode.")
    return text


Plain = Annotated[str, AfterValidator(_storable)]
"""A string that every database can store."""


class In(BaseModel):
    """Base class of request bodies. Unknown fields are errors, and values are not converted to other types. The number
    3.0 counts as the integer 3, as in JSON Schema."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, use_attribute_docstrings=True)

    @field_validator("*", mode="before")
    @classmethod
    def _integers(cls, value: Any, info: ValidationInfo) -> Any:
        annotation = cls.model_fields[info.field_name or ""].annotation
        if int not in (annotation, *get_args(annotation)) or float in get_args(annotation):
            return value
        return list(map(_integer, value)) if isinstance(value, list) else _integer(value)


def _integer(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value
