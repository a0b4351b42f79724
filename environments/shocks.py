"""Shocks: at a fixed period the world of a run changes for good, and nobody announces it. Ours, not in the papers.

A variant with a shock declares `shock_settings`, so that its instances are their own: they have the draws of the paper's
instance of the same seed, and under `hidden` what is different after the shock. Rules read the shock from the instance.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate
from statistics import fmean
from typing import Any, Protocol, TypeVar

import numpy as np

from environments.base import Instance, Outcome
from environments.generation import RANKED, streams

Item = TypeVar("Item")


class WithSettings(Protocol):
    """An instance, also a stored one."""

    @property
    def settings(self) -> Any: ...


OURS = "ours, not in the papers"

PERIOD = 50
"""The first period of the new world: the middle of a run of the papers."""

WINDOW = 20
"""Periods before and after a shock that `recovery` compares."""

FEWEST_PERIODS = PERIOD + WINDOW

LOWEST_BEFORE = 0.2
"""Smallest mean quality before a shock at which there is a level to recover. Below it, recovery would be chance."""

ROUNDING = 1e-9

_STREAM = 77
"""Word that makes the stream of shocks differ from the stream of an instance with the same seed."""


def shock_settings(**more: float) -> dict[str, float]:
    """The settings of a variant with a shock: its period, and what changes."""
    return {"shock_period": PERIOD, **more}


def period_of(instance: WithSettings) -> int | None:
    """The first period after the shock. None for an instance without one."""
    shock: int | None = instance.settings.get("shock_period")
    return shock


def is_after(instance: WithSettings, period: int) -> bool:
    """Whether the shock has happened at the start of a period."""
    shock = period_of(instance)
    return shock is not None and period >= shock


def worlds(instance: Instance, by_period: Sequence[Item]) -> list[Sequence[Item]]:
    """The items before and after the shock, of a sequence with one for each period; without a shock, one part."""
    shock = period_of(instance)
    return [by_period] if shock is None else [by_period[:shock], by_period[shock:]]


def so_far(instance: Instance, by_period: Sequence[Item], better: Callable[[Item, Item], Item]) -> list[Item]:
    """The best item up to each period, which begins anew at a shock. `better`: returns the better of two items"""
    return [best for world in worlds(instance, by_period) for best in accumulate(world, better)]


def without_shock(instance: Instance) -> Instance:
    """The instance whose world stays as it is before the shock."""
    return replace(
        instance,
        settings={name: value for name, value in instance.settings.items() if not name.startswith("shock_")},
        hidden={name: value for name, value in instance.hidden.items() if name != "shock"},
    )


def stream_of(seed: int, generator: str) -> np.random.RandomState:
    """A random stream for what a shock draws, apart from all streams of the instance."""
    return streams(seed, generator, "shock")[0] if generator == RANKED else np.random.RandomState([seed, _STREAM])


def recovery(instance: Instance, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The metrics of a run with a shock; empty for an instance without one.

    recovery: mean quality of the WINDOW periods from the shock on, divided by that of the WINDOW periods before it. None
        if a quality is unknown, if the run is too short, or if the mean before is below LOWEST_BEFORE
    periods_to_regain: periods until a quality first reaches the mean before, 1 for the first period after the shock; None
        if none does
    A run that ended in a best result keeps it, so its missing periods count as 1.
    """
    shock = period_of(instance)
    if shock is None:
        return {}
    nothing = {"recovery": None, "periods_to_regain": None}
    qualities = [math.nan if outcome.quality is None else outcome.quality for outcome in outcomes]
    before, after = qualities[max(0, shock - WINDOW) : shock], qualities[shock:]
    if after and outcomes[-1].ended:
        after += [1.0] * (WINDOW - len(after))
    if len(after) < WINDOW or not (level := fmean(before)) >= LOWEST_BEFORE:
        return nothing
    share = fmean(after[:WINDOW]) / level
    regained = next((number for number, quality in enumerate(after, start=1) if quality >= level - ROUNDING), None)
    return nothing if math.isnan(share) else {"recovery": share, "periods_to_regain": regained}
