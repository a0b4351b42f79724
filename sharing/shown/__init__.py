"""Data that visitors see, as dataclasses with allowed fields only.

They hold no costs, tokens, names of members, endpoints, stop reasons or hidden parameters. Runs have numbers from 1
instead of database ids.
"""

from dataclasses import fields
from typing import Any, TypeVar

Shared = TypeVar("Shared")


def build_shared(kind: type[Shared], *rows: Any, **values: Any) -> Shared:
    """Create a dataclass of type `kind`. A field that is not in `values` is read from the first row with that attribute."""
    for field in fields(kind):  # type: ignore[arg-type]
        if field.name not in values:
            values[field.name] = next(getattr(row, field.name) for row in rows if hasattr(row, field.name))
    return kind(**values)
