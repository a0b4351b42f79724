"""What a leaderboard shows: the filters of its address, as one frozen value."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import date
from urllib.parse import urlencode

from analysis.benchmark.page import OVERALL, SHOWN, Column
from environments.base import PERIODS
from environments.registry import BENCHMARKS, ENVIRONMENTS

DIFFICULTIES = ("BASIC", "MEDIUM", "HARD")


@dataclass(frozen=True)
class TableFilter:
    """Only one generator, variant and number of periods at a time: scores of different ones do not compare.

    agents: slugs of own agents and baselines; () for all of them
    tag: the number of a tag that runs or their experiments carry
    """

    environments: tuple[str, ...] = BENCHMARKS
    difficulties: tuple[str, ...] = DIFFICULTIES
    generator: str = "published"
    variant: str = "main"
    periods: int = PERIODS
    agents: tuple[str, ...] = ()
    rows: tuple[str, ...] = SHOWN
    start: date | None = None
    end: date | None = None
    tag: int | None = None
    sort: str = f"-{OVERALL}"
    chart: str = ""

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(Column(e, d) for e in self.environments for d in self.difficulties)

    @property
    def fits_published(self) -> bool:
        """Whether the paper's scores were made under the same generator, variant and number of periods."""
        return (self.generator, self.variant, self.periods) == ("published", "main", PERIODS)

    @property
    def chart_environment(self) -> str:
        return self.chart if self.chart in self.environments else self.environments[0]

    @property
    def has_more(self) -> bool:
        """Whether any of the seldom changed filters is not as by default."""
        seldom = {"generator", "variant", "periods", "start", "end", "agents", "tag"}
        return any(getattr(self, part.name) != part.default for part in fields(self) if part.name in seldom)

    def query(self, base: TableFilter | None = None, **changes: object) -> str:
        """The address's query for this filter with changes; what is as by default, or as in `base`, is left out."""
        values: dict[str, object] = {}
        for part in fields(self):
            value = changes.pop(part.name, getattr(self, part.name))
            if value != (part.default if base is None else getattr(base, part.name)) and value not in (None, ""):
                values[part.name] = value
        return urlencode(values | changes, doseq=True)


def environment_title(environment: str) -> str:
    return ENVIRONMENTS[environment].title


def variant_choices() -> list[tuple[str, str]]:
    """Every prompt variant of the benchmarks, once."""
    variants: dict[str, str] = {}
    for environment in BENCHMARKS:
        for name, variant in ENVIRONMENTS[environment].variants.items():
            variants.setdefault(name, variant.description)
    return list(variants.items())
