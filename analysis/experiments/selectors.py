"""Database reads for the figures of one experiment. The database sums periods and calls by spans of time."""

import math
from collections import Counter
from collections.abc import Iterable
from itertools import accumulate
from typing import Any

import numpy as np
from django.db.models import BigIntegerField, Count, Max, Min, QuerySet, Sum
from django.db.models.functions import Cast

from analysis.base.benchmark_filters import DIFFICULTIES, CompareFilter
from analysis.base.filters import LeaderboardFilter
from analysis.base.litmus_filters import ALL, CompareLitmusFilter
from analysis.benchmark.selectors import cell_scores, table_agents
from analysis.benchmark.table import BenchmarkTable, benchmark_table
from analysis.comparing.comparison import MOST_AGENTS
from analysis.figures.over_time import Forecast, Moment
from environments.generation import is_design
from environments.prompts.variants import texts_slug, variant_name
from environments.registry import BENCHMARKS
from infrastructure.fields import UnixTime
from infrastructure.money import usd
from runs.models import Exchange, Experiment, Period, Run
from runs.models.runs import NOT_PLAYED
from runs.selectors.cells import difficulty_order

SPANS = 80
"""Number of spans into which the time of an experiment is divided."""

MOST_SUMMED = 2_000
"""The most runs whose periods are summed. With more runs, there are millions of periods, and a single run is too small to
be visible in the figure."""


def played_runs(experiment: Experiment) -> QuerySet[Run]:
    """Runs of the experiment, without those left out by a decided comparison."""
    return Run.objects.filter(experiment=experiment).exclude(NOT_PLAYED).order_by()


def scores_table(runs: QuerySet[Run]) -> BenchmarkTable:
    """Agents by difficulty, over runs of one environment and one variant. Two queries."""
    cells = cell_scores(runs)
    columns = sorted({cell.column for cell in cells}, key=lambda column: difficulty_order(column.difficulty))
    return benchmark_table(cells, table_agents(cells), (), columns)


def forecast_of(experiment: Experiment) -> Forecast | None:
    """The forecast of the launch; None if nothing was estimated. It has no dollars if an agent has no price."""
    estimate = experiment.estimate
    if not estimate:
        return None
    dollars = estimate["cost_usd"] or {"expected": 0.0, "low": 0.0, "high": 0.0}
    seconds = estimate["seconds"]["expected"] if estimate["seconds"] else None
    return Forecast(seconds, dollars["expected"], dollars["low"], dollars["high"])


def moments(experiment: Experiment) -> list[Moment]:
    """Periods played and dollars spent by the end of each span of time. Empty for an import without times.

    Up to MOST_SUMMED runs, three queries sum the rows of periods and calls. For more runs, two queries read the rows of
    runs only; each run is assumed to have an even pace from its start to its last progress.
    """
    runs = played_runs(experiment)
    span = runs.aggregate(first=Min("started_at"), last=Max("progressed_at"), runs=Count("id"))
    if not span["first"] or not span["last"]:
        return []
    first, last = (int(span[end].timestamp()) for end in ("first", "last"))
    width = max(1, math.ceil((last - first + 1) / SPANS))
    if span["runs"] > MOST_SUMMED:
        return _spread_evenly(runs, first, last, width)
    periods = Counter(_sums_by_span(Period.objects.filter(run__experiment=experiment), first, width, Count("id")))
    costs = Counter(_sums_by_span(Exchange.objects.filter(run__experiment=experiment), first, width, Sum("cost_nano")))
    indices = sorted({*periods, *costs})
    played_periods = accumulate(periods[index] for index in indices)
    spent = accumulate(costs[index] for index in indices)
    ends = (min((index + 1) * width, last - first) for index in indices)
    return [Moment(max(end, 0), n, usd(nano)) for end, n, nano in zip(ends, played_periods, spent, strict=True)]


def _sums_by_span(rows: QuerySet, first: int, width: int, sum_of: Count | Sum) -> dict[int, int]:  # type: ignore[type-arg]
    span = (Cast(UnixTime("created_at"), BigIntegerField()) - first) / width
    return dict(rows.order_by().annotate(span=span).values_list("span").annotate(sum_of))


def _spread_evenly(runs: QuerySet[Run], first: int, last: int, width: int) -> list[Moment]:
    rows: Iterable[Any] = (
        runs.filter(started_at__isnull=False, progressed_at__isnull=False)
        .annotate(start=UnixTime("started_at"), end=UnixTime("progressed_at"))
        .values_list("start", "end", "periods_played", "cost_nano")
    )
    start, end, periods, nano = np.array(list(rows), dtype=float).T
    return [
        Moment(min(second, last - first), round(share @ periods), usd(share @ nano))
        for second in range(width, last - first + width + 1, width)
        for share in [np.clip((first + second - start) / np.maximum(end - start, 1.0), 0.0, 1.0)]
    ]


def _offered_difficulties(difficulties: Iterable[str]) -> tuple[str, ...]:
    """The difficulties that the filter of a comparison offers, from the easiest to the hardest, own designs last."""
    offered = (name for name in sorted(difficulties) if name in DIFFICULTIES or is_design(name))
    return tuple(sorted(offered, key=difficulty_order))


def comparison_address(experiment: Experiment) -> tuple[str, str]:
    """(URL name, query string) of the comparison of this experiment's agents, models before baselines.

    A comparison of benchmarks cannot be filtered by experiment. It therefore shows all runs of these agents under the
    experiment's conditions.
    """
    runs = played_runs(experiment)
    agents = runs.values("agent__slug", "agent__baseline").annotate(first=Min("id")).order_by("first")
    slugs = [row["agent__slug"] for row in sorted(agents, key=lambda row: bool(row["agent__baseline"]))][:MOST_AGENTS]
    columns = ("instance__environment", "instance__difficulty", "instance__generator", "variant", "periods")
    cells = list(runs.values_list(*columns).distinct())
    rows = [cell for cell in cells if cell[0] in BENCHMARKS]
    # Own prompts are compared only if nothing was played under the paper's prompts.
    own = min((texts_slug(cell[3]) for cell in cells), default="")
    compare_filter: LeaderboardFilter = CompareLitmusFilter(
        agents=tuple(slugs), experiment=experiment.pk, scope=ALL, variant=variant_name("main", own)
    )
    if rows:
        # A comparison has one generator, variant and length: those played on the most environments and difficulties.
        (generator, variant, periods), _ = Counter(row[2:] for row in rows).most_common(1)[0]
        environments, difficulties = ({row[part] for row in rows} for part in (0, 1))
        compare_filter = CompareFilter(
            agents=tuple(slugs),
            environments=tuple(name for name in BENCHMARKS if name in environments),
            difficulties=_offered_difficulties(map(str, difficulties)) or DIFFICULTIES,
            generator=generator, variant=variant, periods=periods,
        )  # fmt: skip
    return compare_filter.PAGE, compare_filter.query()
