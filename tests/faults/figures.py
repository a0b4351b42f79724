"""The figures of a fault run, as a table of two columns."""

from collections import Counter
from dataclasses import dataclass, field

from infrastructure.money import NANO
from tests.faults.repeats import repeats_by_strike

SHOWN = 8


@dataclass
class Outcome:
    """figures: what happened, by name; violations: sentences by invariant."""

    figures: dict[str, str]
    violations: dict[str, list[str]] = field(default_factory=dict)

    @property
    def sentences(self):
        return [f"{name}: {sentence}" for name, sentences in self.violations.items() for sentence in sentences]

    def __str__(self):
        rows = self.figures | {name: f"{len(found)} violations" for name, found in self.violations.items()}
        width = max(map(len, rows))
        lines = [f"{name:<{width}}  {value}" for name, value in rows.items()]
        for name, found in self.violations.items():
            lines += [f"{name}: {sentence}" for sentence in found[:SHOWN]]
            lines += [f"{name}: and {len(found) - SHOWN} more"] if len(found) > SHOWN else []
        return "\n".join(lines)


def figures(evidence, seconds, looks):
    """kills, times, repeats, waste."""
    strikes, rows = evidence.strikes, evidence.matched.rows
    kills = sum(strike.kills for strike in strikes)
    by_strike = repeats_by_strike(evidence)
    recovery = sorted(strike.seconds for strike in strikes if strike.seconds is not None)
    count = evidence.books.one
    waste = sum(row.cost_nano for row in rows if row.state != "replied")
    waste_billed = sum(row.billed.cost_nano for row in rows if row.billed and row.state != "replied")
    return {
        "kills": str(kills),
        "strikes": _counts(strike.kind for strike in strikes),
        "seconds": f"{seconds:.1f}",
        "kills per second": f"{kills / seconds:.2f}",
        "runs": str(count("SELECT COUNT(*) AS n FROM runs_run")),
        "periods": str(count("SELECT COUNT(*) AS n FROM runs_period")),
        "calls": str(len(evidence.bill)),
        "replies": str(sum(row.state == "replied" for row in rows)),
        "repeats": f"{sum(map(len, by_strike.values()))}, at most {max(map(len, by_strike.values()), default=0)} per strike",
        "exchanges by state": _counts(row.state for row in rows),
        "resumed runs": str(len(evidence.resumed)),
        "waste": f"${waste / NANO:.4f} booked, ${waste_billed / NANO:.4f} billed",
        "recovery p50, p99, max": _quantiles(recovery),
        "looks of the watcher": str(looks),
    }


def _counts(kinds):
    return ", ".join(f"{number} {kind}" for kind, number in sorted(Counter(kinds).items()))


def _quantiles(values):
    if not values:
        return "none"
    at = [values[min(len(values) - 1, int(share * len(values)))] for share in (0.5, 0.99)]
    return f"{at[0]:.2f} s, {at[1]:.2f} s, {values[-1]:.2f} s"
