"""Finished runs that a filter hides: their number, the reason, and the filter that shows them."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
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
from environments.generation import CUSTOM, GENERATOR_LABELS, difficulty_title, is_design
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
    run_filter = run_filter.reported
    runs = Run.objects.filter(instance__environment__in=run_filter.PLAYS)
    if isinstance(run_filter, LitmusFilter):
        of_one = Q(experiment=run_filter.experiment) if run_filter.experiment else Q()
        runs = Run.objects.filter(of_one, instance__environment__in=tests)
    if run_filter.OF_NAMED_AGENTS:
        runs = runs.filter(agent__slug__in=run_filter.agents)
    return _hidden(runs, organization, run_filter, lambda wider: wider.query(), reverse(run_filter.PAGE))


def hidden_of_cell(
    *, organization: Organization, table_filter: TableFilter, agent: Agent, column: BenchmarkColumn
) -> Hidden:
    """The finished runs that the list behind a cell hides. Takes as many queries as `hidden_runs`."""
    environment, difficulty = column
    runs = Run.objects.filter(agent=agent, instance__environment=environment, instance__difficulty=difficulty)
    narrowed = table_filter.with_values(
        environments=(environment,), difficulties=(difficulty,), rows=tuple(KIND_LABELS)
    )
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
        misfits = _misfits(row, kind, run_filter) or _conditions_misfit(row, minorities)
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
    truth = Value(True, output_field=BooleanField())
    return Case(When(condition, then=truth), default=Value(False), output_field=BooleanField()) if condition else truth


Check = tuple[bool, str, Changes | None]
"""(whether a run does not fit a filter, the reason, the changes of the filter that show it)."""


def _misfits(row: dict[str, Any], kind: Kind, run_filter: LeaderboardFilter) -> tuple[Misfit, ...]:
    is_imported_one = isinstance(run_filter, LitmusFilter) and run_filter.experiment and kind == Kind.IMPORTED
    kinds = tuple(each for each in Kind if each in run_filter.rows or each == kind)
    checks: list[Check] = [
        *(_litmus_checks(row, run_filter) if isinstance(run_filter, LitmusFilter) else ()),
        *(_table_checks(row, run_filter) if isinstance(run_filter, TableFilter) else ()),
        (kind not in run_filter.rows and not is_imported_one, KIND_LABELS[kind], (("rows", kinds),)),
        (not row["of_agents"], "of agents that are not chosen", (("agents", ()),)),
        (not row["in_days"], "launched on other days", (("start", None), ("end", None))),
        (not row["is_tagged"], "without the tag", (("tag", None),)),
    ]
    return tuple((reason, changes) for is_misfit, reason, changes in checks if is_misfit)


def _conditions_misfit(row: dict[str, Any], minorities: MinorityGroups) -> tuple[Misfit, ...]:
    """The reason of unusual conditions. Only for runs that fit all other filters, since these define the usual conditions."""
    return ((minorities[row["group"]].description, (("mixed", 1),)),) if row["group"] else ()


def _table_checks(row: dict[str, Any], table_filter: TableFilter) -> list[Check]:
    environment, difficulty = row["environment"], row["difficulty"]
    periods, expected = row["periods"], table_filter.periods
    is_other, own = difficulty not in table_filter.difficulties, is_design(difficulty)
    length = f"of {periods:,} instead of {expected:,} periods"
    if expected == PERIODS:
        shorter = "shorter" if periods < expected else "longer"
        length = f"{shorter} than the paper's ({periods:,} of {expected:,} periods)"
    checks: list[Check] = [
        (
            environment not in table_filter.environments,
            f"of {environment_title(environment).lower()}",
            (("environments", BENCHMARKS),),
        ),
        (
            is_other and own,
            f"of your design {difficulty_title(difficulty)}",
            (("difficulties", (*table_filter.difficulties, difficulty)),),
        ),
        (difficulty == CUSTOM, "with custom settings, which have no column", None),
        (is_other and not own and difficulty != CUSTOM, f"of {difficulty}", (("difficulties", DIFFICULTIES),)),
        (periods != expected, length, (("periods", periods),)),
        _generator_check(row, table_filter),
        (
            row["variant"] != table_filter.variant,
            f"under the prompt “{variant_label(row['variant'])}”",
            (("variant", row["variant"]),),
        ),
    ]
    return [check for check in checks if table_filter.varying not in {name for name, _ in check[2] or ()}]


def _litmus_checks(row: dict[str, Any], litmus_filter: LitmusFilter) -> list[Check]:
    """Of one experiment, all runs are shown that have the prompts."""
    own, scope = texts_slug(row["variant"]), litmus_filter.scope
    prompts = (own != litmus_filter.own_prompt, litmus_prompts(own), (("variant", variant_name("main", own)),))
    if litmus_filter.experiment:
        return [prompts]
    is_whole, is_standard = scope == WHOLE, row["difficulty"] == STANDARD
    is_short = row["periods"] < whole_lengths().get((row["environment"], base_variant(row["variant"])), inf)
    every = (("scope", ALL),)
    return [
        prompts,
        (is_design(scope) and row["difficulty"] != scope, "of other difficulties", every),
        (is_whole and not is_standard, "with custom settings", every),
        (is_whole and is_standard and is_short, "shorter than the paper's", every),
        _generator_check(row, litmus_filter),
    ]


def _generator_check(row: dict[str, Any], run_filter: LeaderboardFilter) -> Check:
    generator = row["generator"]
    return (
        generator != run_filter.generator,
        f"with instances {GENERATOR_LABELS[generator]}",
        (("generator", generator),),
    )
