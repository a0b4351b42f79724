"""What the litmus page shows: the filters of its address, as one frozen value."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import date
from functools import cache
from urllib.parse import urlencode

from analysis.benchmark.page import AGENT, SHOWN, Kind
from environments.registry import ENVIRONMENTS, LITMUS_TESTS, generate

WHOLE, ALL = "whole", "all"
SCOPES = {WHOLE: "As in the paper", ALL: "Also shorter and custom runs"}
PARTS = ("litmus", "competency", "reliability")
STANDARD = "STANDARD"


@dataclass(frozen=True)
class LitmusFilter:
    """Only one generator at a time. scope: whether short and custom runs count too; experiment: 0 for all of them;
    tag: the number of a tag that runs or their experiments carry; agents: slugs of own agents and baselines, () for all.

    agent and seed choose what the charts show of the patience curves and of the Pareto plane; None and "" choose the
    first agent and all instances.
    """

    rows: tuple[str, ...] = SHOWN
    generator: str = "published"
    scope: str = WHOLE
    start: date | None = None
    end: date | None = None
    tag: int | None = None
    experiment: int = 0
    agents: tuple[str, ...] = ()
    sort: str = AGENT
    agent: str = ""
    seed: int | None = None

    @property
    def shows_published(self) -> bool:
        return Kind.PUBLISHED in self.rows and self.generator == "published" and not self.experiment

    @property
    def has_more(self) -> bool:
        """Whether any of the seldom changed filters is not as by default."""
        seldom = {"generator", "scope", "start", "end", "agents", "tag"}
        return any(getattr(self, part.name) != part.default for part in fields(self) if part.name in seldom)

    def query(self, base: LitmusFilter | None = None, **changes: object) -> str:
        """The address's query for this filter with changes; what is as by default, or as in `base`, is left out."""
        values = {part.name: changes.pop(part.name, getattr(self, part.name)) for part in fields(self)}
        defaults = {part.name: getattr(base, part.name) if base else part.default for part in fields(self)}
        kept = {name: value for name, value in values.items() if value != defaults[name] and value not in (None, "")}
        return urlencode(kept | changes, doseq=True)


def sort_keys() -> list[str]:
    keys = [AGENT, *(f"{test}.{part}" for test in LITMUS_TESTS for part in PARTS)]
    return [*keys, *(f"-{key}" for key in keys)]


@cache
def whole_lengths() -> tuple[tuple[str, str, int], ...]:
    """(test, variant, periods of a whole run) of every variant of the litmus tests."""
    return tuple(
        (test, variant, ENVIRONMENTS[test].periods_of(variant, generate(test, STANDARD, 0, with_reference=False)))
        for test in LITMUS_TESTS
        for variant in ENVIRONMENTS[test].variants
    )
