"""Matches a log with one of our instances."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from environments.base import Instance, InvalidSettings
from environments.generation import CUSTOM
from environments.registry import GENERATION, generate
from transfer.reading.refusals import Refused
from transfer.reading.tables import Cells


def difficulty_of(environment: str, settings: Mapping[str, Any]) -> str:
    stock = GENERATION[environment].difficulties
    return next((name for name, values in stock.items() if dict(values) == dict(settings)), CUSTOM)


def made(cells: Cells, environment: str, settings: Mapping[str, Any], generator: str = "published") -> Instance:
    """The instance of the log's seed and settings. Raises Refused if there is none."""
    difficulty, seed = difficulty_of(environment, settings), cells.whole("seed")
    try:
        custom = settings if difficulty == CUSTOM else None
        return generate(environment, difficulty, seed, generator, settings=custom, with_reference=False)
    except InvalidSettings as error:
        raise Refused(f"{cells.file}, line {cells.line}: {error}") from None


def same(ours: Any, theirs: Any, tolerance: float = 1e-9) -> bool:
    """Whether two values are equal. Numbers have a relative tolerance, since sums may have another order."""
    if isinstance(ours, Mapping):
        return (
            isinstance(theirs, Mapping)
            and ours.keys() == theirs.keys()
            and all(same(value, theirs[key], tolerance) for key, value in ours.items())
        )
    if isinstance(ours, list | tuple):
        equal_length = isinstance(theirs, list | tuple) and len(ours) == len(theirs)
        return equal_length and all(same(a, b, tolerance) for a, b in zip(ours, theirs, strict=True))
    if isinstance(ours, int | float) and isinstance(theirs, int | float) and not isinstance(theirs, bool):
        return math.isclose(ours, theirs, rel_tol=tolerance, abs_tol=tolerance)
    return bool(ours == theirs)


def insist(cells: Cells, name: str, ours: Any, theirs: Any) -> None:
    """Refuse a log whose parameters differ from those of its seed: its instance is unknown."""
    if not same(ours, theirs):
        seed = cells.whole("seed")
        raise Refused(
            f"{cells.file}, line {cells.line}: {name} is not what seed {seed} gives, so the instance cannot be rebuilt."
        )


def prompt(cells: Cells, name: str, known: Mapping[str, tuple[str, bool]]) -> tuple[str, bool]:
    """Variant and wording for reasoning models of a prompt type of the published code."""
    asked = cells.text(name)
    if asked not in known:
        raise cells.refuse(name, f"is {asked[:40]!r}; known are {', '.join(known)}")
    return known[asked]


def periods(cells: Cells, name: str, most: int) -> int:
    found = cells.whole(name)
    if not 1 <= found <= most:
        raise cells.refuse(name, f"must be from 1 to {most}, but it is {found}")
    return found
