"""Intertemporal choice: how well an annual interest rate explains choices of $100 now against more money later.

An agent with rate r takes X after T years if X > X_r, and is indifferent at X_r = 100 exp(r T) (paper, appendix I).
Rates are shares a year: 0.05 is 5 %.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Compounding = Literal["continuous", "annual"]

NOW = 100.0
"""Dollars offered immediately."""

STEP = 0.001
RATES: Floats = STEP * np.arange(2001, dtype=np.float64)
"""Rates tried for one horizon: 0 to 200 %. The paper's text says 20 %, but its scores go further (table 5: 24.8 %)."""

LITMUS_RATES: Floats = RATES[:201]
"""Candidate rates when one rate is fitted to all horizons: 0 to 20 %."""

TIE = 1e-9


@dataclass(frozen=True)
class Curve:
    """Choices at one horizon.

    years: the horizon T
    amounts: (n,) dollars offered later, increasing, n >= 2
    later: (n,) share of the choices that went to the later amount
    """

    years: float
    amounts: Floats
    later: Floats


@dataclass(frozen=True)
class BestRate:
    """The rate that explains choices best; if several are equally good, their median.

    identified: False if every rate beyond some bound explains the choices equally well
    bound: that bound in words, such as 'above 18.2 %'; empty if the rate is identified or nothing is known
    """

    rate: float
    reliability: float
    identified: bool
    bound: str


def indifference_amount(rate: float | Floats, years: float) -> Floats:
    """Dollars after `years` that are worth $100 now, compounded continuously."""
    return np.asarray(NOW * np.exp(np.asarray(rate, dtype=np.float64) * years))


def implied_rate(amount: float, years: float, compounding: Compounding = "continuous") -> float:
    """The rate at which `amount` after `years` is worth $100 now."""
    if compounding == "annual":
        return float((amount / NOW) ** (1 / years) - 1)
    return float(np.log(amount / NOW) / years)


def reliability(curve: Curve, rates: Floats) -> Floats:
    """How well each rate (k,) explains the curve, (k,) in [0, 1] (paper, appendix I).

    With f the share choosing later, linear between tested amounts, and g a step from 0 to 1 at X_r, it is
    1 - (integral of |f - g|) / (X_max - X_min). The integral is computed exactly: the integrand is f below the step and
    1 - f above it, and f is piecewise linear.
    """
    x, f = curve.amounts, curve.later
    width = np.diff(x)
    area = np.concatenate([[0.0], np.cumsum(width * (f[:-1] + f[1:]) / 2)])
    step = np.clip(indifference_amount(rates, curve.years), x[0], x[-1])
    piece = np.clip(np.searchsorted(x, step, side="right") - 1, 0, len(width) - 1)
    into = step - x[piece]
    below = area[piece] + f[piece] * into + np.diff(f)[piece] / width[piece] * into**2 / 2
    above = (x[-1] - step) - (area[-1] - below)
    return np.asarray(1 - (below + above) / (x[-1] - x[0]))


def point_reliability(curve: Curve, rates: Floats) -> Floats:
    """Reliability as in the first release of the published code: annual compounding, average over tested amounts.

    An amount equal to X_r counts for neither side. Amounts are compared as floats, in the published order of operations,
    because the published figures depend on which amounts are equal.
    """
    steps = np.array([NOW * pow(1 + rate, curve.years) for rate in rates.tolist()])[:, None]
    x, f = curve.amounts[None, :], curve.later[None, :]
    agree = np.where(x > steps, f, 1 - f) * (x != steps)
    return np.asarray(agree.sum(axis=1) / (x != steps).sum(axis=1))


def best_rate(curve: Curve, compounding: Compounding = "continuous") -> BestRate:
    """The rate on the grid 0 to 200 % that explains one horizon best.

    Beyond the tested amounts every rate explains choices equally well. A best rate there gives only a bound.
    """
    # The published grid ends at 199.9 %, which matters for the median of many equally good rates.
    rates = RATES if compounding == "continuous" else RATES[:-1]
    measured = reliability(curve, rates) if compounding == "continuous" else point_reliability(curve, rates)
    best = _best(rates, measured)
    low, high = (implied_rate(float(amount), curve.years, compounding) for amount in curve.amounts[[0, -1]])
    bound = ""
    if best[0] >= high:
        bound = f"above {100 * high:.1f} %"
    elif best[-1] <= low:
        bound = f"below {100 * low:.1f} %"
    identified = bool(best[0] > low and best[-1] < high)
    return BestRate(float(np.median(best)), float(measured.max()), identified, bound)


def overall_reliability(curves: Sequence[Curve], compounding: Compounding = "continuous") -> Floats:
    """How well each of the LITMUS_RATES explains all horizons, (201,): the mean over the horizons. Needs at least one.

    Source: earlier paper, figure 9.
    """
    measure = reliability if compounding == "continuous" else point_reliability
    return np.asarray(np.mean([measure(curve, LITMUS_RATES) for curve in curves], axis=0))


def litmus(curves: Sequence[Curve], compounding: Compounding = "continuous") -> BestRate:
    """The rate on the grid 0 to 20 % that explains all horizons best, with equal weights. Needs at least one horizon.

    A rate at an end of the grid is not identified, because a rate beyond it may be better.
    """
    measured = overall_reliability(curves, compounding)
    best = _best(LITMUS_RATES, measured)
    bound = ""
    if best[-1] == LITMUS_RATES[-1] and best[0] > 0:
        bound = f"at least {100 * best[0]:.1f} %"
    elif best[0] == 0 and best[-1] < LITMUS_RATES[-1]:
        bound = f"at most {100 * best[-1]:.1f} %"
    identified = bool(best[0] > 0 and best[-1] < LITMUS_RATES[-1])
    return BestRate(float(np.median(best)), float(measured.max()), identified, bound)


def _best(rates: Floats, measured: Floats) -> Floats:
    """The rates with the highest value in `measured`, up to rounding."""
    return np.asarray(rates[measured >= measured.max() - TIE])
