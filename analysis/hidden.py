"""Finished runs that a filter hides: their number, the reason, and the filter that shows them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf
from typing import Any

from django.db.models import BooleanField, Case, Count, F, Q, QuerySet, Value, When
from django.urls import reverse

from accounts.models import Organization
from analysis.base.benchmark_filters import DIFFICULTIES, TableFilter, environment_title, variant_label
from analysis.base.filters import LeaderboardFilter
from analysis.base.hidden import Hidden, HiddenGroup
from analysis.base.leaderboard import cell_query, conditions_query
from analysis.base.litmus_filters import ALL, STANDARD, WHOLE, LitmusFilter, litmus_prompts, whole_lengths
from analysis.base.selectors import MinorityGroups, group_column, launched_in
from analysis.base.table import BenchmarkColumn, Kind, kind_of
from analysis.benchmark.runs import benchmark_minorities
from analysis.litmus.runs import litmus_minorities
from environments.base import PERIODS
from environments.generation import CUSTOM, GENERATOR_LABELS, is_design
from environments.prompts.variants import base_variant, texts_slug, variant_name
from environments.registry import BENCHMARKS, LITMUS_TESTS
from runs.models import Agent, Run, RunState
from workspace.discussion.selectors.tags import runs_tagged

KIND_LABELS = {
    Kind.OWN: "of your agents",
    Kind.BASELINE: "of baselines",
    Kind.OUTSIDE: "of outside agents",
    Kind.HUMAN: "of people",
    Kind.IMPORTED: "imported",
}

Changes = tuple[tuple[str, object], ...]
Misfit = tuple[str, Changes | None]
"""(reason why a filter hides runs, changes of the filter that show them). Changes are None if none can show them."""


def hidden_runs(
    *, organization: Organization, run_filter: LeaderboardFilter, tests: tuple[str, ...] = LITMUS_TESTS
) -> Hidden:
    """The finished runs of the benchmarks, or of the litmus `tests`, that a filter leaves out. For members only.

    Takes two queries, or three where `minority_groups` takes two. Takes one if all conditions are pooled.
    """
    is_litmus = isinstance(run_filter, LitmusFilter)
    runs = Run.objects.filter(instance__environment__in=tests if is_litmus else BENCHMARKS)
    if run_filter.OF_NAMED_AGENTS:
        runs = runs.filter(agent__slug__in=run_filter.agents)
    if isinstance(run_filter, LitmusFilter) and run_filter.experiment:
        runs = runs.filter(experiment=run_filter.experiment)
    return _hidden(runs, organization, run_filter, lambda wider: wider.query(), reverse(run_filter.PAGE))


def hidden_of_cell(
    *, organization: Organization, table_filter: TableFilter, agent: Agent, column: BenchmarkColumn
) -> Hidden:
    """The finished runs that the list behind a cell hides. Takes as many queries as `hidden_runs`."""
    environment, difficulty = column.environment, column.difficulty
    runs = Run.objects.filter(agent=agent, instance__environment=environment, instance__difficulty=difficulty)
    rows = tuple(KIND_LABELS)
    narrowed = table_filter.with_values(environments=(environment,), difficulties=(difficulty,), rows=rows)
    return _hidden(runs, organization, narrowed, lambda wider: cell_query(agent.slug, column, conditions_query(wider)))


def _hidden(
    runs: QuerySet[Run],
    organization: Organization,
    run_filter: LeaderboardFilter,
    query: Callable[[Any], str],
    address: str = "",
) -> Hidden:
    finished = runs.filter(organization=organization, state=RunState.FINISHED)
    groups: Counter[tuple[Misfit, ...]] = Counter()
    counts: Counter[tuple[str, str]] = Counter()
    minorities = _minorities(organization, run_filter)
    for row in _kinds_of_runs(finished, organization, run_filter, minorities):
        kind = kind_of(row["imported"], row["is_baseline"], row["player_class"])
        misfits = tuple(_misfits(row, run_filter)) or _conditions_misfit(row, minorities)
        if kind in run_filter.KINDS and misfits:
            groups[misfits] += row["runs"]
            counts[row["environment"], row["variant"]] += row["runs"]
    largest_first = [_group(misfits, number, run_filter, query) for misfits, number in groups.most_common()]
    return Hidden(largest_first, counts, address)


def _minorities(organization: Organization, run_filter: LeaderboardFilter) -> MinorityGroups:
    if isinstance(run_filter, LitmusFilter):
        return litmus_minorities(organization, run_filter)
    assert isinstance(run_filter, TableFilter)
    return benchmark_minorities(organization, run_filter)


def _group(
    misfits: Sequence[Misfit], runs: int, run_filter: LeaderboardFilter, query: Callable[[Any], str]
) -> HiddenGroup:
    reasons = ", ".join(reason for reason, _ in misfits)
    if any(change is None for _, change in misfits):
        return HiddenGroup(runs, reasons, None, None)
    changes: dict[str, Any] = {name: value for _, change in misfits for name, value in change or ()}
    return HiddenGroup(runs, reasons, changes, query(run_filter.with_values(**changes)))


def _kinds_of_runs(
    runs: QuerySet[Run], organization: Organization, run_filter: LeaderboardFilter, minorities: MinorityGroups
) -> Iterable[Any]:
    """The number of runs for each combination of the properties that filters use."""
    tagged = Q() if run_filter.tag is None else runs_tagged(organization=organization, tag_id=run_filter.tag)
    return (
        runs.order_by()
        .values(
            "imported",
            "variant",
            "periods",
            environment=F("instance__environment"),
            difficulty=F("instance__difficulty"),
            generator=F("instance__generator"),
            is_baseline=_boolean(~Q(agent__baseline="")),
            player_class=F("agent__player_class"),
            of_agents=_boolean(Q(agent__slug__in=run_filter.agents) if run_filter.agents else Q()),
            in_days=_boolean(launched_in(run_filter.start, run_filter.end)),
            is_tagged=_boolean(tagged),
            group=group_column(minorities),
        )
        .annotate(runs=Count("id"))
    )


def _boolean(condition: Q) -> Case | Value:
    if not condition:
        return Value(True, output_field=BooleanField())
    return Case(When(condition, then=Value(True)), default=Value(False), output_field=BooleanField())


def _misfits(row: dict[str, Any], run_filter: LeaderboardFilter) -> Iterator[Misfit]:
    of_one_experiment = False
    if isinstance(run_filter, LitmusFilter) and texts_slug(row["variant"]) != run_filter.own_prompt:
        own = texts_slug(row["variant"])
        yield litmus_prompts(own), (("variant", variant_name("main", own)),)
    if isinstance(run_filter, TableFilter):
        yield from _table_misfits(row, run_filter)
    elif isinstance(run_filter, LitmusFilter):
        of_one_experiment = bool(run_filter.experiment)
        if not of_one_experiment:
            yield from _litmus_misfits(row, run_filter)
    kind = kind_of(row["imported"], row["is_baseline"], row["player_class"])
    if kind not in run_filter.rows and not (of_one_experiment and kind == Kind.IMPORTED):
        yield (KIND_LABELS[kind], (("rows", tuple(each for each in Kind if each in run_filter.rows or each == kind)),))
    if not row["of_agents"]:
        yield "of agents that are not chosen", (("agents", ()),)
    if not row["in_days"]:
        yield "launched on other days", (("start", None), ("end", None))
    if not row["is_tagged"]:
        yield "without the tag", (("tag", None),)


def _conditions_misfit(row: dict[str, Any], minorities: MinorityGroups) -> tuple[Misfit, ...]:
    """The reason of unusual conditions. Only for runs that fit all other filters, since these define the usual conditions."""
    return ((minorities[row["group"]].description, (("mixed", 1),)),) if row["group"] else ()


def _table_misfits(row: dict[str, Any], table_filter: TableFilter) -> Iterator[Misfit]:
    if row["environment"] not in table_filter.environments:
        yield f"of {environment_title(row['environment']).lower()}", (("environments", BENCHMARKS),)
    difficulty = row["difficulty"]
    if is_design(difficulty) and difficulty not in table_filter.difficulties:
        yield f"of your design {difficulty}", (("difficulties", (*table_filter.difficulties, difficulty)),)
    elif difficulty == CUSTOM:
        yield "with custom settings, which have no column", None
    elif difficulty not in table_filter.difficulties:
        yield f"of {difficulty}", (("difficulties", DIFFICULTIES),)
    periods, expected = row["periods"], table_filter.periods
    if periods != expected:
        reason = f"of {periods:,} instead of {expected:,} periods"
        if expected == PERIODS:
            shorter = "shorter" if periods < expected else "longer"
            reason = f"{shorter} than the paper's ({periods:,} of {expected:,} periods)"
        yield reason, (("periods", periods),)
    yield from _generator_misfit(row, table_filter)
    if row["variant"] != table_filter.variant:
        yield f"under the prompt “{variant_label(row['variant'])}”", (("variant", row["variant"]),)


def _litmus_misfits(row: dict[str, Any], litmus_filter: LitmusFilter) -> Iterator[Misfit]:
    whole = whole_lengths().get((row["environment"], base_variant(row["variant"])), inf)
    if is_design(litmus_filter.scope) and row["difficulty"] != litmus_filter.scope:
        yield "of other difficulties", (("scope", ALL),)
    elif litmus_filter.scope == WHOLE and row["difficulty"] != STANDARD:
        yield "with custom settings", (("scope", ALL),)
    elif litmus_filter.scope == WHOLE and row["periods"] < whole:
        yield "shorter than the paper's", (("scope", ALL),)
    yield from _generator_misfit(row, litmus_filter)


def _generator_misfit(row: dict[str, Any], run_filter: LeaderboardFilter) -> Iterator[Misfit]:
    if row["generator"] != run_filter.generator:
        yield f"with instances {GENERATOR_LABELS[row['generator']]}", (("generator", row["generator"]),)
