"""Finished runs that a filter hides: how many, the reason, and the filter that shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from django.db.models import BooleanField, Case, Count, F, Q, QuerySet, Value, When

from accounts.models import Organization
from analysis.base.filters import BoardFilter
from analysis.base.selectors import launched_in
from analysis.base.table import Kind
from analysis.benchmark.filters import DIFFICULTIES, TableFilter, environment_title, variant_choices
from analysis.figures.registry import LITMUS_CHARTS
from analysis.litmus.filters import ALL, STANDARD, WHOLE, LitmusFilter, whole_lengths
from discussion.selectors.tags import runs_tagged
from environments.base import PERIODS
from environments.generation import GENERATORS
from environments.registry import BENCHMARKS, LITMUS_TESTS
from runs.models import Run, RunState

GROUPS_SHOWN = 6
KIND_WORDS = {
    Kind.OWN: "of your agents",
    Kind.BASELINE: "of baselines",
    Kind.IMPORTED: "imported",
}
GENERATOR_WORDS = {name: f"with instances {label}" for name, label in GENERATORS.items()}

Changes = tuple[tuple[str, object], ...]


@dataclass(frozen=True)
class Misfit:
    """A reason why a filter hides runs. `changes` of the filter show them; None if no change does."""

    words: str
    changes: Changes | None


@dataclass(frozen=True)
class HiddenGroup:
    """Runs hidden for the same reasons. `query` is the query string that shows them, or None."""

    runs: int
    words: str
    query: str | None

    @property
    def text(self) -> str:
        return f"{self.runs:,} {self.words}"


@dataclass(frozen=True)
class Hidden:
    """The hidden runs of a page.

    groups: the largest first
    counts: hidden runs by environment and variant
    address: the page that can show them
    """

    groups: tuple[HiddenGroup, ...] = ()
    counts: tuple[tuple[tuple[str, str], int], ...] = ()
    address: str = ""

    @property
    def total(self) -> int:
        return sum(group.runs for group in self.groups)

    @property
    def shown(self) -> tuple[HiddenGroup, ...]:
        return self.groups[:GROUPS_SHOWN]

    @property
    def others(self) -> int:
        """Runs of the groups that are not shown."""
        return sum(group.runs for group in self.groups[GROUPS_SHOWN:])

    @property
    def charts(self) -> dict[str, int]:
        """Hidden runs of each chart of the litmus page."""
        counts = dict(self.counts)
        return {chart: counts.get(place, 0) for chart, place in LITMUS_CHARTS.items()}


def hidden_runs(*, organization: Organization, chosen: BoardFilter, address: str = "") -> Hidden:
    """Finished runs of the benchmarks, or of the litmus tests, that a filter leaves out. One query."""
    if isinstance(chosen, LitmusFilter):
        runs = Run.objects.filter(instance__environment__in=LITMUS_TESTS)
        if chosen.experiment:
            runs = runs.filter(experiment=chosen.experiment)
    else:
        runs = Run.objects.filter(instance__environment__in=BENCHMARKS)
    return _hidden(runs, organization, chosen, address, lambda shown: shown.query())


def hidden_of_cell(
    *,
    organization: Organization,
    table_filter: TableFilter,
    agent_id: int,
    environment: str,
    difficulty: str,
    query: Callable[[TableFilter], str],
) -> Hidden:
    """Finished runs that the list behind a cell hides. One query."""
    runs = Run.objects.filter(agent=agent_id, instance__environment=environment, instance__difficulty=difficulty)
    chosen = replace(table_filter, environments=(environment,), difficulties=(difficulty,), rows=tuple(KIND_WORDS))
    return _hidden(runs, organization, chosen, "", query)


def _hidden(
    runs: QuerySet[Run],
    organization: Organization,
    chosen: BoardFilter,
    address: str,
    query: Callable[[Any], str],
) -> Hidden:
    finished = runs.filter(organization=organization, state=RunState.FINISHED)
    groups: Counter[tuple[Misfit, ...]] = Counter()
    counts: Counter[tuple[str, str]] = Counter()
    for row in _kinds_of_runs(finished, organization, chosen):
        why = tuple(_misfits(row, chosen))
        if why:
            groups[why] += row["runs"]
            counts[row["environment"], row["variant"]] += row["runs"]
    found = tuple(_group(why, number, chosen, query) for why, number in groups.most_common())
    return Hidden(found, tuple(counts.items()), address)


def _group(why: tuple[Misfit, ...], runs: int, chosen: BoardFilter, query: Callable[[Any], str]) -> HiddenGroup:
    changes: dict[str, Any] = {}
    for misfit in why:
        changes |= dict(misfit.changes or ())
    can_be_shown = all(misfit.changes is not None for misfit in why)
    shown = query(replace(chosen, **changes)) if can_be_shown else None
    return HiddenGroup(runs, ", ".join(misfit.words for misfit in why), shown)


def _kinds_of_runs(runs: QuerySet[Run], organization: Organization, chosen: BoardFilter) -> Iterable[Any]:
    """The number of runs by every property that filters use."""
    tagged = Q() if chosen.tag is None else runs_tagged(organization=organization, tag_id=chosen.tag)
    return (
        runs.order_by()
        .values(
            "imported",
            "variant",
            "periods",
            environment=F("instance__environment"),
            difficulty=F("instance__difficulty"),
            generator=F("instance__generator"),
            is_baseline=_whether(~Q(agent__baseline="")),
            of_agents=_whether(Q(agent__slug__in=chosen.agents) if chosen.agents else Q()),
            in_days=_whether(launched_in(chosen.start, chosen.end)),
            is_tagged=_whether(tagged),
        )
        .annotate(runs=Count("id"))
    )


def _whether(condition: Q) -> Case | Value:
    if not condition:
        return Value(True, output_field=BooleanField())
    return Case(When(condition, then=Value(True)), default=Value(False), output_field=BooleanField())


def _table_misfits(row: dict[str, Any], chosen: TableFilter) -> list[Misfit]:
    found = []
    if row["environment"] not in chosen.environments:
        found.append(Misfit(f"of {environment_title(row['environment']).lower()}", (("environments", BENCHMARKS),)))
    if row["difficulty"] not in DIFFICULTIES:
        found.append(Misfit("with custom settings, which have no column", None))
    elif row["difficulty"] not in chosen.difficulties:
        found.append(Misfit(f"of {row['difficulty']}", (("difficulties", DIFFICULTIES),)))
    if row["periods"] != chosen.periods:
        found.append(Misfit(_length(row["periods"], chosen.periods), (("periods", row["periods"]),)))
    if row["generator"] != chosen.generator:
        found.append(Misfit(GENERATOR_WORDS[row["generator"]], (("generator", row["generator"]),)))
    if row["variant"] != chosen.variant:
        label = dict(variant_choices()).get(row["variant"], row["variant"])
        found.append(Misfit(f"under the prompt “{label}”", (("variant", row["variant"]),)))
    return found


def _length(periods: int, chosen: int) -> str:
    if chosen == PERIODS:
        return f"{'shorter' if periods < chosen else 'longer'} than the paper's ({periods:,} of {chosen:,} periods)"
    return f"of {periods:,} instead of {chosen:,} periods"


def _litmus_misfits(row: dict[str, Any], chosen: LitmusFilter) -> list[Misfit]:
    found = []
    lengths = {(test, variant): periods for test, variant, periods in whole_lengths()}
    if not chosen.experiment:
        if chosen.scope == WHOLE and row["difficulty"] != STANDARD:
            found.append(Misfit("with custom settings", (("scope", ALL),)))
        elif chosen.scope == WHOLE and row["periods"] < lengths.get((row["environment"], row["variant"]), inf):
            found.append(Misfit("shorter than the paper's", (("scope", ALL),)))
        if row["generator"] != chosen.generator:
            found.append(Misfit(GENERATOR_WORDS[row["generator"]], (("generator", row["generator"]),)))
    return found


def _misfits(row: dict[str, Any], chosen: BoardFilter) -> list[Misfit]:
    found = []
    if isinstance(chosen, TableFilter):
        found = _table_misfits(row, chosen)
    elif isinstance(chosen, LitmusFilter):
        found = _litmus_misfits(row, chosen)
    kind = Kind.IMPORTED if row["imported"] else Kind.BASELINE if row["is_baseline"] else Kind.OWN
    of_one_experiment = isinstance(chosen, LitmusFilter) and chosen.experiment
    if kind not in chosen.rows and not (of_one_experiment and kind == Kind.IMPORTED):
        rows = tuple(each for each in Kind if each in chosen.rows or each == kind)
        found.append(Misfit(KIND_WORDS[kind], (("rows", rows),)))
    if not row["of_agents"]:
        found.append(Misfit("of agents that are not chosen", (("agents", ()),)))
    if not row["in_days"]:
        found.append(Misfit("launched on other days", (("start", None), ("end", None))))
    if not row["is_tagged"]:
        found.append(Misfit("without the tag", (("tag", None),)))
    return found
