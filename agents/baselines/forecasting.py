"""Forecasts of drifting series by one period, with a line or a wave, whichever fits the past better."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

CYCLES = range(6, 31)
"""Lengths of a cycle to try, in periods."""

ENOUGH_FOR_LINE, ENOUGH_FOR_WAVE = 3, 8


def forecast(values: Floats, weights: Floats) -> tuple[Floats, str]:
    """Forecast of each series, and the shape of the best fit in words.

    values: (periods, n), each column a series with a value above 0 somewhere
    weights: (periods, n), the weight of each value, 0 for missing values
    """
    periods = len(values)
    seen = (weights > 0).sum(axis=0).min()
    candidates = [("no drift", np.ones((periods + 1, 1)))]
    if seen >= ENOUGH_FOR_LINE:
        line = np.column_stack([np.ones(periods + 1), np.linspace(0, 1, periods + 1)])
        candidates.append(("a steady trend", line))
    if seen >= ENOUGH_FOR_WAVE:
        # Less than two thirds of a cycle cannot tell its length.
        for length in (length for length in CYCLES if 3 * periods >= 2 * length):
            angle = 2 * np.pi * np.arange(periods + 1) / length
            wave = np.column_stack([np.ones(periods + 1), np.sin(angle), np.cos(angle)])
            candidates.append((f"a cycle of {length} periods", wave))
    fits = [(*_fit(design, values, weights), shape) for shape, design in candidates]
    _, prediction, shape = min(fits, key=lambda fit: fit[0])
    scale = (values * weights).sum(axis=0) / weights.sum(axis=0)
    # A young fit may swing far beyond anything seen.
    return np.clip(prediction, scale / 3, scale * 3), shape


def _fit(design: Floats, values: Floats, weights: Floats) -> tuple[float, Floats]:
    """Weighted least squares of every series on a design with one row more than there are values.

    Returns the Bayesian information criterion of all series together, and what the last row predicts.
    """
    past, terms = design[:-1], design.shape[1]
    gram = np.einsum("tn,ti,tj->nij", weights, past, past) + 1e-9 * weights.sum(axis=0)[:, None, None] * np.eye(terms)
    moment = np.einsum("tn,ti,tn->ni", weights, past, values)
    beta = np.linalg.solve(gram, moment[..., None])[..., 0]
    scale = (values * weights).sum(axis=0) / weights.sum(axis=0)
    errors = weights * ((values - past @ beta.T) / scale) ** 2
    count = int((weights > 0).sum())
    misfit = errors.sum() / weights.sum() + 1e-8
    return float(count * np.log(misfit) + terms * values.shape[1] * np.log(count)), design[-1] @ beta.T
