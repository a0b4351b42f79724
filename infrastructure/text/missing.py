"""What formats print for a missing value."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

DASH = "–"
Options = ParamSpec("Options")


def or_dash(format_of: Callable[Concatenate[Any, Options], str]) -> Callable[Concatenate[Any, Options], str]:
    """Decorator of a format: None is printed as a dash."""

    @wraps(format_of)
    def printed(value: Any, /, *arguments: Options.args, **options: Options.kwargs) -> str:
        return DASH if value is None else format_of(value, *arguments, **options)

    return printed
