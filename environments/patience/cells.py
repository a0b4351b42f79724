"""The cells of each variant in order. A cell is a question about one amount at one horizon, asked several times."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from environments.patience.economics import indifference_amount
from environments.prompts.variants import base_variant


class Name(NamedTuple):
    """A name and the race and gender stereotypically associated with it (Bertrand and Mullainathan 2004).

    race: 'white' or 'african_american'
    gender: 'female' or 'male'
    """

    text: str
    race: str
    gender: str


_GROUPS = json.loads((Path(__file__).parent / "names.json").read_text(encoding="utf-8"))["groups"]
NAMES = tuple(Name(text, *group.rsplit("_", 1)) for group, names in _GROUPS.items() for text in names)
"""The 36 first names of the name-variation experiment, nine in each of four groups (paper, appendix K)."""


INTEREST_RATES = range(1, 21)
"""Annual interest rates in percent that occur in the competency prompts."""

NEAREST = 2
"""Number of amounts on each side of the indifference amount that the competency prompts ask about."""

NAME_HORIZON = "1 year"

Key = tuple[str, float, int | None, str | None]


@dataclass(frozen=True)
class Horizon:
    """A delay with the dollar amounts tested for it; `time_span` is its wording in the prompt."""

    label: str
    years: float
    amounts: tuple[float, ...]
    time_span: str

    def dollars(self, amount: float) -> str:
        """Format an amount as in the prompts: with one decimal if the horizon's steps are tenths or halves of a dollar."""
        whole = all(float(tested).is_integer() for tested in self.amounts)
        return str(int(amount)) if whole else f"{amount:.1f}"


@dataclass(frozen=True)
class Cell:
    """One period of a run.

    flips: for each time the question is asked, whether the options are in reverse order
    rate: percent a year in the prompt, None without a rate
    name: the user's name in the prompt, None without a name
    """

    horizon: Horizon
    amount: float
    flips: tuple[bool, ...]
    rate: int | None = None
    name: str | None = None

    @property
    def key(self) -> Key:
        return self.horizon.label, self.amount, self.rate, self.name

    @property
    def later_is_right(self) -> bool:
        """Whether the later amount is the better choice at the rate in the prompt. Requires a rate."""
        assert self.rate is not None
        return bool(self.amount > indifference_amount(self.rate / 100, self.horizon.years))

    def __str__(self) -> str:
        extra = f" at {self.rate} %" if self.rate is not None else f" for {self.name}" if self.name is not None else ""
        return f"${self.horizon.dollars(self.amount)} in {self.horizon.label}{extra}"


def horizons(parameters: dict[str, Any]) -> tuple[Horizon, ...]:
    return tuple(Horizon(**horizon | {"amounts": tuple(horizon["amounts"])}) for horizon in parameters["horizons"])


def cells(variant: str, parameters: dict[str, Any]) -> tuple[Cell, ...]:
    """The cells of a complete run of a variant, from the parameters of the instance."""
    treatment, tested = base_variant(variant), horizons(parameters)
    flips = tuple(i % 2 == 1 for i in range(parameters["repetitions"]))
    if treatment == "interest_rate":
        return tuple(cell for rate in INTEREST_RATES for horizon in tested for cell in _around(horizon, rate))
    if treatment == "user_name":
        horizon = next((horizon for horizon in tested if horizon.label == NAME_HORIZON), tested[0])
        return tuple(Cell(horizon, amount, flips, name=name.text) for name in NAMES for amount in horizon.amounts)
    return tuple(Cell(horizon, amount, flips) for horizon in tested for amount in horizon.amounts)


def _around(horizon: Horizon, rate: int) -> Iterator[Cell]:
    """Cells for the amounts next to the indifference amount, each asked once (paper, footnote 20).

    There are fewer at the ends of the tested range. The order of the options alternates between neighbouring amounts and
    rates, so that each letter is right equally often.
    """
    middle = float(indifference_amount(rate / 100, horizon.years))
    below = [amount for amount in horizon.amounts if amount < middle][-NEAREST:]
    above = [amount for amount in horizon.amounts if amount > middle][:NEAREST]
    for position, amount in enumerate(below + above, start=NEAREST - len(below)):
        yield Cell(horizon, amount, ((position + rate) % 2 == 1,), rate=rate)
