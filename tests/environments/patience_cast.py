"""The cast of the patience tests: the paper's questionnaire, a small one, counts of a cell."""

from __future__ import annotations

from functools import cache
from typing import Any

from environments.base import Instance
from environments.patience import GENERATION, Patience
from environments.patience.cells import Cell

NAME = "patience_vs_impatience"
SMALL = {"repetitions": 3, "one_month": 0, "six_months": 1, "one_year": 1, "five_years": 0}


@cache
def standard(generator: str = "published") -> Instance:
    return GENERATION.instance(NAME, "STANDARD", 0, generator)


def survey(variant: str = "main", generator: str = "published", **options: Any) -> Patience:
    return Patience(standard(generator), variant=variant, **options)


def counted(cell: Cell, later: int, invalid: int = 0) -> dict[str, Any]:
    asked = len(cell.flips)
    extra = {"rate": cell.rate} if cell.rate else {"name": cell.name} if cell.name else {}
    counts = {"later": later, "now": asked - later - invalid, "invalid": invalid}
    return {"horizon": cell.horizon.label, "amount": cell.amount} | extra | counts
