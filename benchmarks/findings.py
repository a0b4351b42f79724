"""Measures precision, recall and false alarms of the rules about changes in the behaviour of agents.

    python -m benchmarks findings              # precision and recall on benchmarks/behaviours.json, by half
    python -m benchmarks findings --false-alarms 600

Both tables are in docs/findings.md.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from benchmarks import harness
from benchmarks.behaviours import JUDGED, ROWS, played_run
from benchmarks.harness import Rows, rate, share
from environments.changes.crashes import crashes
from environments.changes.levels import change_point, early_change, spread_change
from environments.findings import Finding
from environments.registry import evaluate_run

HALVES = ("development", "held_out")
HIT, MISSED, WRONG = "hit", "missed", "wrong"
SEED = 20_261_128


def outcomes(row: dict, findings: Iterable[Finding]) -> Iterator[tuple[str, str]]:
    """Yield (rule, HIT, MISSED or WRONG). For a finding in another period than its label, yield both MISSED and WRONG."""
    periods = {rule: [finding.period for finding in findings if finding.rule == rule] for rule in JUDGED}
    for rule in set(JUDGED) - set(row.get("undecided", ())):
        label = row["labels"].get(rule)
        hits = [period for period in periods[rule] if label and _fits(label, period)]
        if label:
            yield rule, HIT if hits else MISSED
        yield from ((rule, WRONG) for _ in range(len(periods[rule]) - len(hits)))


def _fits(label: tuple[list[int], int], period: int | None) -> bool:
    """Whether a period is near one of the label's periods. A label without periods fits every period."""
    at, tolerance = label
    return not at or (period is not None and min(abs(period - label_period) for label_period in at) <= tolerance)


def counts_of(rows: Iterable[dict]) -> Counter[tuple[str, str, str]]:
    """Count the outcomes, by (half, rule, outcome)."""
    return Counter(
        (row["half"], *outcome) for row in rows for outcome in outcomes(row, evaluate_run(played_run(row)).findings)
    )


def table(counts: Counter[tuple[str, str, str]]) -> list[str]:
    """Return the lines of the table in docs/findings.md."""
    rows = []
    for rule in (*JUDGED, "all"):
        cells = []
        for half in HALVES:
            rules = JUDGED if rule == "all" else (rule,)
            hit, missed, wrong = (sum(counts[half, key, outcome] for key in rules) for outcome in (HIT, MISSED, WRONG))
            cells += [str(hit + missed), share(hit, hit + wrong, 0), share(hit, hit + missed, 0)]
        rows.append([rule if rule == "all" else f"`{rule}`", *cells])
    names = ("Labels", "Precision", "Recall")
    return list(harness.table(["Rule", *names, *(f"{name}, held out" for name in names)], rows))


MARKED = {"heavy_loss", "early_change", "changed_course", "spread_changed", "strategy_changed"}


def among_largest(rows: Sequence[dict]) -> str:
    """Return a sentence: how many labelled changes are among the three largest changes of their run, found or not."""
    near: list[bool] = []
    for row in rows:
        periods = [change.period for change in evaluate_run(played_run(row)).changes]
        labels = ((at, max(tolerance, 1)) for rule, (at, tolerance) in row["labels"].items() if rule in MARKED)
        near += [any(_fits(label, period) for period in periods) for label in labels]
    return (
        f"{sum(near)} of {len(near)} labelled changes ({share(sum(near), len(near), 0)}) are among the three largest of "
        "their run."
    )


Draw = Callable[[np.random.Generator, int], np.ndarray]
STEP = 0.14
"""The smallest meaningful difference of level, as for prices. The noise of the series is 0.1, 0.5 or 2 times this."""

SERIES: dict[str, Draw] = {
    "noise": lambda rng, n: rng.normal(0, 1, n),
    "heavy tails (t, 3 df)": lambda rng, n: rng.standard_t(3, n),
    "drift": lambda rng, n: rng.normal(0, 1, n) + np.linspace(0, 10, n),
    "oscillation": lambda rng, n: rng.normal(0, 1, n) + 5 * np.sign(np.sin(np.arange(n) * np.pi / 6)),
    "autoregression (0.7)": lambda rng, n: _autoregression(rng, n, 0.7),
    "random walk": lambda rng, n: np.cumsum(rng.normal(0, 1, n)),
    "shrinking steps": lambda rng, n: rng.normal(0, 1, n) * np.geomspace(10, 0.1, n),
}
"""Draws of series without a change at a single period."""


def _autoregression(rng: np.random.Generator, n: int, share: float) -> np.ndarray:
    values = np.zeros(n)
    for index, shock in enumerate(rng.normal(0, 1, n)):
        values[index] = share * values[max(0, index - 1)] + shock
    return values


RULES: dict[str, Callable[[Sequence[float]], object]] = {
    "changed course": lambda values: change_point(values, STEP),
    "changed course early": lambda values: early_change(values, STEP),
    "spread changed": lambda values: spread_change(values, STEP),
    "heavy loss": lambda values: crashes([0.9 + 0.3 * value for value in values], can_lose=False),
}


def alarms_in(number: int) -> Rows:
    """Yield rows of shares of `number` series of 100 periods in which a rule finds something.

    The last rows are for series with a true change of spread, and give the share in which it is found.
    """
    for name, draw in SERIES.items():
        drawn = [
            (draw(np.random.default_rng([SEED, index]), 100) * STEP * (0.1, 0.5, 2.0)[index % 3]).tolist()
            for index in range(number)
        ]
        yield [name, *(rate(map(find, drawn)) for find in RULES.values())]
    for factor in (4, 6, 10):
        near = []
        for index in range(number):
            change_period = (20, 50, 80)[index % 3]
            values = np.random.default_rng([SEED, factor, index]).normal(0, 2 * STEP, 100)
            values[change_period:] /= factor
            change = spread_change(values.tolist(), STEP)
            near.append(change is not None and abs(change.position - change_period) <= 5)
        yield [f"spread falls by a factor of {factor}", "", "", f"{rate(near)} within 5 periods", ""]


def main(*, false_alarms: int = 0) -> None:
    if false_alarms:
        print(*harness.table(["Series", *RULES], alarms_in(false_alarms)), sep="\n")
    else:
        print(*table(counts_of(ROWS)), among_largest(ROWS), sep="\n")
