"""Runs as plain records, and rows of a table, one per agent. Pure functions."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

from django.db import models

from environments.prompts.variants import base_variant, texts_label, texts_slug
from runs.selectors.cells import game_title

AGENT = "agent"
"""The sort key of the agent's name."""


OVERALL = "overall"

SHARE, POINTS_OF_100 = "share from 0 to 1", "points of 100"
"""The units of unrounded scores in files and the API, and of scores on pages."""


class LeaderboardKind(models.TextChoices):
    BENCHMARK = "benchmark", "Benchmark"
    LITMUS = "litmus", "Litmus tests"


class Kind(StrEnum):
    """Source of a row: an LLM agent of the organization, a baseline, an outside agent, a person, a log or the paper."""

    OWN = "own"
    BASELINE = "baseline"
    OUTSIDE = "outside"
    HUMAN = "human"
    IMPORTED = "imported"
    PUBLISHED = "published"


DEFAULT_ROWS = (Kind.OWN, Kind.BASELINE, Kind.PUBLISHED)
"""Rows shown by default. Imported runs are left out, since they were played elsewhere. Outside agents and people are left
out, since the site does not control their memory."""


def kind_of(is_imported: bool, is_baseline: bool, player_class: str) -> Kind:
    if is_imported:
        return Kind.IMPORTED
    if player_class in (Kind.OUTSIDE, Kind.HUMAN):
        return Kind(player_class)
    return Kind.BASELINE if is_baseline else Kind.OWN


class BenchmarkColumn(NamedTuple):
    environment: str
    difficulty: str

    @property
    def key(self) -> str:
        return f"{self.environment}.{self.difficulty}"

    @property
    def title(self) -> str:
        return game_title(self.environment, self.difficulty)


@dataclass(frozen=True)
class RunRecord:
    """One run.

    score: a share; for a litmus test, the litmus score under the main prompt, else the competency
    rival_id: another agent in the second seat of a market; None if the agent plays alone or against itself
    metrics: only the metrics that the table or figure needs
    """

    run_id: int
    agent_id: int
    agent_slug: str
    agent_name: str
    is_baseline: bool
    environment: str
    difficulty: str
    instance_id: int
    seed: int
    state: str
    score: float | None
    solved: bool | None = None
    is_imported: bool = False
    player_class: str = "site"
    variant: str = "main"
    rival_id: int | None = None
    rival_name: str = ""
    metrics: Mapping[str, Any] = field(default_factory=dict)

    @property
    def base(self) -> str:
        """The built-in variant that decides what the score measures."""
        return base_variant(self.variant)

    @property
    def own_prompt(self) -> str:
        """The slug of the organization's own prompt; empty under a prompt of the paper."""
        return texts_slug(self.variant)

    @property
    def kind(self) -> Kind:
        return kind_of(self.is_imported, self.is_baseline, self.player_class)

    @property
    def is_scored(self) -> bool:
        """Whether the run is finished, since only finished runs have a score that counts."""
        return self.state == "finished" and self.score is not None

    @property
    def has_failed(self) -> bool:
        """Whether the run ended without a score: stalled, errored or cancelled."""
        return self.state in ("stalled", "errored", "cancelled")

    @property
    def player(self) -> str:
        """The agent, or both agents of a market of two."""
        return f"{self.agent_name} against {self.rival_name}" if self.rival_id is not None else self.agent_name


@dataclass(frozen=True)
class TableRow:
    """The row of one agent. Published rows have no id and no slug.

    own_prompt: name of its runs' own prompt; 'as_run' for the texts that experiments sent, empty for the paper's
    """

    name: str
    kind: Kind
    agent_id: int | None
    agent_slug: str
    own_prompt: str = field(default="", kw_only=True)

    @property
    def full_name(self) -> str:
        """The name, with the source of a row that is not an agent of the organization, and the own prompt."""
        name = self.name if self.kind == Kind.OWN else f"{self.name} ({self.kind.value})"
        return f"{name}, {texts_label(self.own_prompt)}" if self.own_prompt else name


Item = TypeVar("Item")
Outer = TypeVar("Outer", bound=Hashable)
Inner = TypeVar("Inner", bound=Hashable)
RowType = TypeVar("RowType", bound=TableRow)


def grouped(
    items: Iterable[Item], outer: Callable[[Item], Outer], inner: Callable[[Item], Inner]
) -> dict[Outer, dict[Inner, list[Item]]]:
    """Group items by row (`outer`), then by column (`inner`), in the order of their first appearance."""
    groups: dict[Outer, dict[Inner, list[Item]]] = defaultdict(lambda: defaultdict(list))
    for item in items:
        groups[outer(item)][inner(item)].append(item)
    return groups


def by_value(
    rows: Iterable[RowType],
    sort: str,
    value: Callable[[RowType], float | None],
    is_comparable: Callable[[RowType], bool] = lambda row: True,
) -> list[RowType]:
    """Sort rows by value, ties by name. Rows that are not comparable follow; rows without a value come last."""
    sign = -1 if sort.startswith("-") else 1

    def order(row: RowType) -> tuple[int, float, str]:
        number = value(row)
        return 2 if number is None else int(not is_comparable(row)), (number or 0.0) * sign, row.name.casefold()

    return sorted(rows, key=order)
