"""What a period costs by its number: several whole runs of pricing BASIC, played side by side at a small latency."""

import statistics
import time
from dataclasses import astuple, dataclass
from typing import Any

from benchmarks.latency_endpoint import CALLS_PER_PERIOD
from benchmarks.load_processes import Endpoint, SetUp, Site, worker_that_played
from environments.base import PERIODS

RUNS = 4
LATENCY = 0.05
CALLS = CALLS_PER_PERIOD * PERIODS * RUNS


@dataclass(frozen=True)
class Point:
    """Counters at one moment: calls answered, seconds of CPU, seconds on the clock, bytes of requests."""

    calls: float
    cpu: float
    clock: float
    sent: float


def growth(set_up: SetUp, endpoint: Endpoint, *, history: bool) -> dict[str, Any]:
    """Costs of one period of one run, by tenth of the run.

    A model that reads its data is sent a history that grows with every period; one that does not is sent requests of one
    size. What is stored should not grow in either case, CPU not in the second. `cpu_ms` and `wall_ms` suppose that the
    runs stay side by side, which runs started together at one latency do.
    """
    with worker_that_played(set_up, endpoint, RUNS) as site:
        endpoint.get(f"history/{int(history)}")
        endpoint.get(f"latency/{LATENCY}")
        points = _progress_of_runs(site, endpoint)
        endpoint.get("history/1")
        time.sleep(2)  # the last period of each run is still being written
        stored = site.stored()
    cpu, wall, sent = zip(*_per_period(points), strict=True)
    return {
        "set_up": set_up.name,
        "history": history,
        "states": stored["states"],
        "stored_bytes": [statistics.fmean(tenth) for tenth in _tenths(stored["transcript_bytes"])],
        "cpu_ms": [1000 * seconds for seconds in cpu],
        "wall_ms": [1000 * RUNS * seconds for seconds in wall],
        "request_bytes": sent,
    }


def _progress_of_runs(site: Site, endpoint: Endpoint) -> list[Point]:
    """Counters every half percent of the way, the runs being played meanwhile; the first when all of them go."""
    before = endpoint.stats()["answered"]
    site.launch(endpoint, f"0-{RUNS - 1}")
    points: list[Point] = []
    moved = time.monotonic()
    while not points or points[-1].calls < CALLS:
        now = endpoint.stats()
        calls = now["answered"] - before
        if calls >= min(CALLS, (points[-1].calls if points else CALLS / 200) + CALLS / 200):
            points.append(Point(calls, site.usage().cpu, now["clock"], now["request_bytes"]))
            moved = time.monotonic()
        elif time.monotonic() > moved + 90:
            raise SystemExit(f"The runs do not go on: {site.stored()['states']}")
        time.sleep(0.05)
    return points


def _per_period(points: list[Point]) -> list[tuple[float, ...]]:
    """CPU, clock and bytes per period in each tenth of the calls; the first begins with the first point."""
    marks = [points[0], *(_at(points, CALLS * tenth / 10) for tenth in range(1, 11))]
    rows = []
    for before, after in zip(marks, marks[1:], strict=False):
        _, *change = (b - a for a, b in zip(astuple(before), astuple(after), strict=True))
        periods = (after.calls - before.calls) / CALLS_PER_PERIOD
        rows.append(tuple(value / periods for value in change))
    return rows


def _at(points: list[Point], calls: float) -> Point:
    """The counters at so many calls, between the two points around them."""
    right = next(number for number, point in enumerate(points) if point.calls >= calls)
    if right == 0:
        return points[0]
    left, there = astuple(points[right - 1]), astuple(points[right])
    share = (calls - left[0]) / (there[0] - left[0])
    return Point(*(a + share * (b - a) for a, b in zip(left, there, strict=True)))


def _tenths(by_period: list[float]) -> list[list[float]]:
    return [by_period[start : start + 10] for start in range(0, len(by_period), 10)]
