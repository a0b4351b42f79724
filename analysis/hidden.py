"""Finished runs that a filter hides: how many, the reason, and the filter that shows them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from django.db.models import BooleanField, Case, Count, F, Q, QuerySet, Value, When
from django.urls import reverse

from accounts.models import Organization
from analysis.base.conditions import OtherWays, way_column
from analysis.base.filters import BoardFilter
from analysis.base.selectors import launched_in
from analysis.base.table import Kind, kind_of
from analysis.benchmark.filters import DIFFICULTIES, TableFilter, environment_title, variant_label
from analysis.benchmark.table import BenchmarkColumn
from analysis.boards import other_ways_of
from analysis.figures.registry import LITMUS_CHARTS
from analysis.links import cell_query, conditions_query
from analysis.litmus.filters import ALL, STANDARD, WHOLE, LitmusFilter, litmus_prompts, whole_lengths
from discussion.selectors.tags import runs_tagged
from environments.base import PERIODS
from environments.generation import CUSTOM, GENERATOR_WORDS, is_design
from environments.prompts.variants import base_variant, texts_slug, variant_name
from environments.registry import BENCHMARKS, LITMUS_TESTS
from infrastructure.text.formats import counted
from runs.models import Agent, Run, RunState

KIND_WORDS = {
    Kind.OWN: "of your agents",
    Kind.BASELINE: "of baselines",
    Kind.OUTSIDE: "of outside agents",
    Kind.HUMAN: "of people",
    Kind.IMPORTED: "imported",
}

Changes = tuple[tuple[str, object], ...]
Misfit = tuple[str, Changes | None]
"""A reason why a filter hides runs, and the changes of the filter that show them; None if no change does."""


@dataclass(frozen=True)
class HiddenGroup:
    """Runs hidden for the same reasons. `changes` of the filter and the query string `query` show them, or are None."""

    runs: int
    words: str
    changes: dict[str, Any] | None
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

    groups: list[HiddenGroup]
    counts: Counter[tuple[str, str]]
    address: str = ""

    @property
    def total(self) -> int:
        return self.counts.total()

    @property
    def largest(self) -> HiddenGroup | None:
        return self.groups[0] if self.groups else None

    @property
    def others(self) -> int:
        """Runs that are not in the largest group."""
        return self.total - (self.largest.runs if self.largest else 0)

    @property
    def ending(self) -> str:
        """Of the sentence, after the largest group."""
        return f", {self.others:,} for other reasons." if self.others else "."

    @property
    def sentence(self) -> str:
        """How many runs are hidden, and the reason of the largest group; empty where none is."""
        if self.largest is None:
            return ""
        return f"{counted(self.total, 'finished run is,finished runs are')} hidden: {self.largest.text}{self.ending}"

    @property
    def charts(self) -> dict[str, int]:
        """Hidden runs of each chart of the litmus page."""
        return {chart: self.counts[place] for chart, place in LITMUS_CHARTS.items()}


def hidden_runs(*, organization: Organization, chosen: BoardFilter, tests: tuple[str, ...] = LITMUS_TESTS) -> Hidden:
    """Finished runs of the benchmarks, or of the litmus `tests`, that a filter leaves out, for members only.

    Two queries, or three as of other_ways; one if runs that were played otherwise are pooled.
    """
    is_litmus = isinstance(chosen, LitmusFilter)
    runs = Run.objects.filter(instance__environment__in=tests if is_litmus else BENCHMARKS)
    if chosen.OF_NAMED_AGENTS:
        runs = runs.filter(agent__slug__in=chosen.agents)
    if isinstance(chosen, LitmusFilter) and chosen.experiment:
        runs = runs.filter(experiment=chosen.experiment)
    return _hidden(runs, organization, chosen, lambda shown: shown.query(), reverse(chosen.PAGE))


def hidden_of_cell(
    *, organization: Organization, table_filter: TableFilter, agent: Agent, column: BenchmarkColumn
) -> Hidden:
    """Finished runs that the list behind a cell hides. As many queries as of hidden_runs."""
    environment, difficulty = column.environment, column.difficulty
    runs = Run.objects.filter(agent=agent, instance__environment=environment, instance__difficulty=difficulty)
    chosen = replace(table_filter, environments=(environment,), difficulties=(difficulty,), rows=tuple(KIND_WORDS))
    return _hidden(runs, organization, chosen, lambda shown: cell_query(agent.slug, column, conditions_query(shown)))


def _hidden(
    runs: QuerySet[Run],
    organization: Organization,
    chosen: BoardFilter,
    query: Callable[[Any], str],
    address: str = "",
) -> Hidden:
    finished = runs.filter(organization=organization, state=RunState.FINISHED)
    groups: Counter[tuple[Misfit, ...]] = Counter()
    counts: Counter[tuple[str, str]] = Counter()
    ways = other_ways_of(organization=organization, chosen=chosen)
    for row in _kinds_of_runs(finished, organization, chosen, ways):
        kind = kind_of(row["imported"], row["is_baseline"], row["player_class"])
        if kind in chosen.KINDS and (why := tuple(_misfits(row, chosen)) or _misfit_of_conditions(row, ways)):
            groups[why] += row["runs"]
            counts[row["environment"], row["variant"]] += row["runs"]
    return Hidden([_group(why, number, chosen, query) for why, number in groups.most_common()], counts, address)


def _group(why: tuple[Misfit, ...], number: int, chosen: BoardFilter, query: Callable[[Any], str]) -> HiddenGroup:
    words = ", ".join(reason for reason, _ in why)
    if any(change is None for _, change in why):
        return HiddenGroup(number, words, None, None)
    changes: dict[str, Any] = {name: value for _, change in why for name, value in change or ()}
    return HiddenGroup(number, words, changes, query(replace(chosen, **changes)))


def _kinds_of_runs(
    runs: QuerySet[Run], organization: Organization, chosen: BoardFilter, ways: OtherWays
) -> Iterable[Any]:
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
            player_class=F("agent__player_class"),
            of_agents=_whether(Q(agent__slug__in=chosen.agents) if chosen.agents else Q()),
            in_days=_whether(launched_in(chosen.start, chosen.end)),
            is_tagged=_whether(tagged),
            way=way_column(ways),
        )
        .annotate(runs=Count("id"))
    )


def _whether(condition: Q) -> Case | Value:
    if not condition:
        return Value(True, output_field=BooleanField())
    return Case(When(condition, then=Value(True)), default=Value(False), output_field=BooleanField())


def _misfits(row: dict[str, Any], chosen: BoardFilter) -> Iterator[Misfit]:
    of_one_experiment = False
    if isinstance(chosen, LitmusFilter) and texts_slug(row["variant"]) != chosen.own_prompt:
        own = texts_slug(row["variant"])
        yield litmus_prompts(own), (("variant", variant_name("main", own)),)
    if isinstance(chosen, TableFilter):
        yield from _table_misfits(row, chosen)
    elif isinstance(chosen, LitmusFilter):
        of_one_experiment = bool(chosen.experiment)
        if not of_one_experiment:
            yield from _litmus_misfits(row, chosen)
    kind = kind_of(row["imported"], row["is_baseline"], row["player_class"])
    if kind not in chosen.rows and not (of_one_experiment and kind == Kind.IMPORTED):
        yield KIND_WORDS[kind], (("rows", tuple(each for each in Kind if each in chosen.rows or each == kind)),)
    if not row["of_agents"]:
        yield "of agents that are not chosen", (("agents", ()),)
    if not row["in_days"]:
        yield "launched on other days", (("start", None), ("end", None))
    if not row["is_tagged"]:
        yield "without the tag", (("tag", None),)


def _misfit_of_conditions(row: dict[str, Any], ways: OtherWays) -> tuple[Misfit, ...]:
    """Asked of runs that fit every filter, since the others do not count in what is usual."""
    return ((ways[row["way"]].words, (("mixed", 1),)),) if row["way"] else ()


def _table_misfits(row: dict[str, Any], chosen: TableFilter) -> Iterator[Misfit]:
    if row["environment"] not in chosen.environments:
        yield f"of {environment_title(row['environment']).lower()}", (("environments", BENCHMARKS),)
    if is_design(row["difficulty"]) and row["difficulty"] not in chosen.difficulties:
        yield f"of your design {row['difficulty']}", (("difficulties", (*chosen.difficulties, row["difficulty"])),)
    elif row["difficulty"] == CUSTOM:
        yield "with custom settings, which have no column", None
    elif row["difficulty"] not in chosen.difficulties:
        yield f"of {row['difficulty']}", (("difficulties", DIFFICULTIES),)
    periods, wanted = row["periods"], chosen.periods
    if periods != wanted:
        words = f"of {periods:,} instead of {wanted:,} periods"
        if wanted == PERIODS:
            shorter = "shorter" if periods < wanted else "longer"
            words = f"{shorter} than the paper's ({periods:,} of {wanted:,} periods)"
        yield words, (("periods", periods),)
    yield from _generator_misfit(row, chosen)
    if row["variant"] != chosen.variant:
        yield f"under the prompt “{variant_label(row['variant'])}”", (("variant", row["variant"]),)


def _litmus_misfits(row: dict[str, Any], chosen: LitmusFilter) -> Iterator[Misfit]:
    whole = whole_lengths().get((row["environment"], base_variant(row["variant"])), inf)
    if is_design(chosen.scope) and row["difficulty"] != chosen.scope:
        yield "of other difficulties", (("scope", ALL),)
    elif chosen.scope == WHOLE and row["difficulty"] != STANDARD:
        yield "with custom settings", (("scope", ALL),)
    elif chosen.scope == WHOLE and row["periods"] < whole:
        yield "shorter than the paper's", (("scope", ALL),)
    yield from _generator_misfit(row, chosen)


def _generator_misfit(row: dict[str, Any], chosen: BoardFilter) -> Iterator[Misfit]:
    if row["generator"] != chosen.generator:
        yield f"with instances {GENERATOR_WORDS[row['generator']]}", (("generator", row["generator"]),)
