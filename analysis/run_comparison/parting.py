"""Where runs of one instance play differently. Pure functions over actions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Actions = Mapping[int, Any]
"""What a run played, by period."""


@dataclass(frozen=True)
class Parting:
    """Periods in which runs differ.

    compared: how many periods at least two of the runs played
    parted: those among them in which not all of these runs played the same, in order
    """

    compared: int
    parted: tuple[int, ...]

    @property
    def first(self) -> int | None:
        return self.parted[0] if self.parted else None


def parting(runs: Sequence[Actions]) -> Parting:
    """Actions are compared as the environment plays them: 20 is 20.0, and the order of keys does not count."""
    parted, compared = [], 0
    for period in sorted({period for actions in runs for period in actions}):
        period_actions = [actions[period] for actions in runs if period in actions]
        compared += len(period_actions) > 1
        if any(action != period_actions[0] for action in period_actions):
            parted.append(period)
    return Parting(compared, tuple(parted))
