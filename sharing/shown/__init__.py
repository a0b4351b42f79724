"""What a visitor sees: dataclasses with allowed fields only.

They have no costs, tokens, names of members, endpoints, stop reasons or hidden parameters. Numbers replace database ids.
"""

from dataclasses import fields
from typing import Any, TypeVar

Shared = TypeVar("Shared")


def build_shared(kind: type[Shared], *rows: Any, **values: Any) -> Shared:
    """A dataclass whose fields are from `values`, or else from the first of the rows that has the attribute."""
    for field in fields(kind):  # type: ignore[arg-type]
        if field.name not in values:
            values[field.name] = next(getattr(row, field.name) for row in rows if hasattr(row, field.name))
    return kind(**values)
