"""Parser for untrusted JSON: replies of models, request bodies, files.

`json.loads` has no limits, and the depth at which it raises RecursionError differs between Python versions. This module
checks depth, length and digits before it parses, so every Python version refuses the same texts.
"""

import json
import math
import re
from itertools import accumulate
from typing import Any, NoReturn

MOST_DEPTH = 64
MOST_CHARACTERS = 4 * 1024 * 1024
"""More than any decoded reply (2 MB) or request has."""

MOST_DIGITS = 1_000

_EVERYTHING_ELSE = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[^"\[\]{}]++', re.DOTALL)
"""Pattern for strings and for everything else except brackets."""

_STEPS = {"[": 1, "{": 1, "]": -1, "}": -1}


class NotJSON(ValueError):
    """A text is not JSON or is beyond the limits. The message completes a sentence about the text."""


def read_json(text: str | bytes, *, lenient: bool = False, depth: int = MOST_DEPTH) -> Any:
    """Parse a JSON text that is nested at most `depth` levels deep. Raises NotJSON.

    NaN, infinities, numbers out of range, integers of more than 1,000 digits and duplicate keys are
    refused. With `lenient` they are accepted: such numbers become floats, and the last value of a
    key counts. `lenient` also ignores a byte order mark.
    """
    try:
        text = text.decode() if isinstance(text, bytes) else text
        if text.startswith("\ufeff") and not lenient:
            raise NotJSON("is not JSON, which has no byte order mark")
        text = text.removeprefix("\ufeff")
        if len(text) > MOST_CHARACTERS:
            raise NotJSON(f"is longer than {MOST_CHARACTERS:,} characters")
        if text.count("[") + text.count("{") > depth:
            steps = map(_STEPS.__getitem__, _EVERYTHING_ELSE.sub("", text))
            if max(accumulate(steps), default=0) > depth:
                raise NotJSON(f"is nested more than {depth} deep")
        if lenient:
            return json.loads(text, parse_int=lambda digits: (int if len(digits) <= MOST_DIGITS else float)(digits))
        return json.loads(
            text, parse_int=_integer, parse_float=_finite, parse_constant=_no_number, object_pairs_hook=_each_once
        )
    except NotJSON:
        raise
    except UnicodeDecodeError:
        raise NotJSON("is not JSON, which is text in UTF-8") from None
    except ValueError:
        raise NotJSON("is not JSON") from None


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise NotJSON(f"has a number of {len(digits):,} digits")
    return int(digits)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise NotJSON("has a number that is out of range")
    return value


def _no_number(name: str) -> NoReturn:
    raise NotJSON(f"has {name}, which is not a number in JSON")


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        raise NotJSON("has an object with the same key twice")
    return mapping
