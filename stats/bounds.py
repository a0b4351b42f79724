"""What missing scores could change: a mean with them at their worst and at their best. Pure functions over numbers."""

import math
from collections.abc import Sequence

from stats.means import BOUNDS, Interval


def mean_bounds(scores: Sequence[float], worst: Sequence[float]) -> Interval | None:
    """The mean of all scores if the missing ones are at their worst, and if they are at their best. None if none is missing.

    These are worst-case bounds (Manski 1990, American Economic Review 80). They hold for any reason why scores are missing
    if no missing score is below its supposed worst. They are no confidence interval, so chance comes on top.

    scores: the scores there are, shares
    worst: the lowest supposed score of each missing one, shares; the best is the upper one of BOUNDS
    """
    if not worst:
        return None
    total, n = math.fsum(scores), len(scores) + len(worst)
    return (total + math.fsum(worst)) / n, (total + len(worst) * BOUNDS[1]) / n
