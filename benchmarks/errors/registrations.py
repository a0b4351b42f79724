"""Registered comparisons: the error of a whole file under Holm's method, and of verdicts with a registered direction."""

from itertools import product

from benchmarks.errors.draws import KINDS, generators
from benchmarks.harness import Rows, prints, rate
from stats.means import LEVEL, sign_flip_p
from stats.paired import holm

SIZES = (5, 8, 12, 36)
TESTS = 4
"""Comparisons in a file, and instances in each of them. The agents are equal in all, so each finding is an error."""


@prints("Registered comparisons", "differences", "instances", "one test", "confirmed direction", "any of 4, Holm",
        "any of 4, not adjusted")  # fmt: skip
def registered(number: int) -> Rows:
    """Yield the share of files of equal agents in which a comparison finds something."""
    for (kind, draw), n in product(KINDS.items(), SIZES):
        files = [[draw(rng, n) for _ in range(TESTS)] for rng in generators(number, n)]
        p_values = [[sign_flip_p(differences) for differences in tests] for tests in files]
        found_first = [p[0] < LEVEL for p in p_values]
        confirmed = [p[0] < LEVEL and tests[0].mean() > 0 for p, tests in zip(p_values, files, strict=True)]
        adjusted = [min(holm(p)) < LEVEL for p in p_values]
        yield [kind, f"{n}", *map(rate, (found_first, confirmed, adjusted, [min(p) < LEVEL for p in p_values]))]
