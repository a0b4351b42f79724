"""The parts beside the litmus table: the data of the charts, their choices, and small tables."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from analysis.base.benchmark_filters import environment_name
from analysis.base.leaderboard import LeaderboardLinks
from analysis.base.litmus_filters import LitmusFilter
from analysis.base.table import RunRecord
from analysis.litmus.leaderboard import LitmusLeaderboard, build_leaderboard
from analysis.litmus.name_tests import TestLine, test_lines
from analysis.litmus.rates import RateRow, horizon_labels, rate_rows
from analysis.litmus.table import LitmusRow
from environments.patience.cells import NAME_HORIZON
from environments.registry import LITMUS_TESTS
from games.patience.names_figure import NameScores
from games.registry import LITMUS_CHARTS
from infrastructure.figures.colours import AgentStyle
from stats.summaries import instance_means, mean

PARETO = ("revenue", "inequality", "frontier_distance", "frontier_share")
MARKET = ("mean_price_by_seat", "place_by_seat")
CURVES = ("by_horizon",)
NAMES = ("by_name",)


@dataclass(frozen=True)
class AgentMeans:
    """An agent's means over instances in the Pareto chart: litmus score, distance from the paper's line, share of the
    frontier.
    """

    agent: str
    runs: int
    litmus: float | None
    distance: float | None
    frontier_share: float | None


def is_in_chart(run: RunRecord, chart: str) -> bool:
    return (run.environment, run.base) == LITMUS_CHARTS[chart]


def pareto_runs(records: Iterable[RunRecord], seed: int | None = None) -> list[RunRecord]:
    return [
        run
        for run in records
        if is_in_chart(run, "pareto")
        and run.is_scored
        and seed in (None, run.seed)
        and run.metrics.get("revenue") is not None
    ]


def agent_means(runs: Iterable[RunRecord]) -> list[AgentMeans]:
    """One entry per agent, in the order of the runs."""
    by_agent: dict[int, list[RunRecord]] = defaultdict(list)
    for run in runs:
        by_agent[run.agent_id].append(run)

    def average(values: Iterable[tuple[int, float | None]]) -> float | None:
        pairs = [(instance, value) for instance, value in values if value is not None]
        return mean(instance_means(*map(np.array, zip(*pairs, strict=True))).tolist()) if pairs else None

    return [
        AgentMeans(
            own[0].agent_name,
            len(own),
            average((run.instance_id, run.score) for run in own),
            average((run.instance_id, run.metrics["frontier_distance"]) for run in own),
            average((run.instance_id, run.metrics["frontier_share"]) for run in own),
        )
        for own in by_agent.values()
    ]


def market_runs(records: Iterable[RunRecord]) -> list[RunRecord]:
    """Scored runs of two sellers, in any variant."""
    test = LITMUS_CHARTS["markets"][0]
    return [
        run
        for run in records
        if run.environment == test and run.is_scored and len(run.metrics.get("place_by_seat") or ()) == 2
    ]


def latest_by_agent(records: Iterable[RunRecord], chart: str) -> dict[int, RunRecord]:
    """Each agent's latest finished run that the chart shows, with agents in the order of the records."""
    latest_runs: dict[int, RunRecord] = {}
    for run in records:
        if is_in_chart(run, chart) and run.state == "finished":
            latest_runs[run.agent_id] = max(run, latest_runs.get(run.agent_id, run), key=lambda other: other.run_id)
    return latest_runs


def name_scores(
    records: Sequence[RunRecord], styles: Mapping[int, AgentStyle], link: Callable[[int], str]
) -> list[NameScores]:
    """Each agent's rates by name, and its rate at the same horizon without a name."""
    plain = latest_by_agent(records, "patience")
    result = []
    for agent, run in latest_by_agent(records, "names").items():
        by_name = run.metrics.get("by_name") or {}
        without = plain.get(agent)
        by_horizon = (without.metrics.get("by_horizon") if without else None) or {}
        result.append(
            NameScores(
                agent=run.agent_name,
                rates={name: row["rate"] for name, row in by_name.items()},
                without=(by_horizon.get(NAME_HORIZON) or {}).get("rate"),
                colour=styles[agent].colour,
                targets=dict.fromkeys(by_name, link(run.run_id)),
                without_target=link(without.run_id) if without else None,
            )
        )
    return result


@dataclass(frozen=True)
class Choice:
    label: str
    query: str
    is_chosen: bool


@dataclass(frozen=True)
class LitmusPage:
    """The charts and small tables beside the litmus table.

    tabs: the tests, of which the page shows one
    charts: names of the charts of this test; table: the scores in it
    styles: of the agents; printed: whether charts show published scores
    seeds, curves: what a visitor can select in the Pareto chart and in the choice curves; empty without runs
    prompt: prompt of the runs in all charts except the chart of names
    rates: (agent, is published, (rate, reliability) as text at each horizon); published rows are table 5 of the paper
    """

    tabs: list[Choice]
    charts: list[str]
    table: LitmusLeaderboard
    styles: Mapping[int, AgentStyle]
    printed: bool
    seeds: list[Choice]
    instance: str
    means: list[AgentMeans]
    curves: list[Choice]
    rates: list[RateRow]
    horizons: list[str]
    names: int
    tests: list[TestLine]
    markets: int
    prompt: str


def page_of(
    rows: Sequence[LitmusRow],
    records: Sequence[RunRecord],
    patience: Sequence[RunRecord],
    litmus_filter: LitmusFilter,
    links: LeaderboardLinks,
    styles: Mapping[int, AgentStyle],
) -> LitmusPage:
    """Build the parts beside the litmus table of `rows`. `records` are all runs, with the metrics of the Pareto chart.
    `patience` are the runs with choice curves and names.
    """
    shown = test_of(records, litmus_filter)
    chart_runs = pareto_runs(records)
    seeds = sorted({run.seed for run in chart_runs})
    selected_seed = litmus_filter.seed if litmus_filter.seed in seeds else None
    choices = _seed_choices(seeds, selected_seed)
    with_curves = list(latest_by_agent(patience, "patience").values())
    slugs = [run.agent_slug for run in with_curves]
    slug = litmus_filter.agent if litmus_filter.agent in slugs else next(iter(slugs), "")
    names = name_scores(patience, styles, str)
    return LitmusPage(
        tabs=[Choice(environment_name(test), links.query(test=test), test == shown) for test in LITMUS_TESTS],
        charts=[chart for chart, (test, _) in LITMUS_CHARTS.items() if test == shown],
        table=_table(rows, shown, litmus_filter, links),
        styles=styles,
        printed=litmus_filter.shows_published,
        seeds=[Choice(label, links.query(seed=seed), is_chosen) for label, seed, is_chosen in choices],
        instance=next((label for label, _, is_chosen in choices if is_chosen), ""),
        means=agent_means(pareto_runs(records, selected_seed)),
        curves=[
            Choice(run.agent_name, links.query(agent=run.agent_slug), run.agent_slug == slug) for run in with_curves
        ],
        rates=rate_rows(with_curves, horizon_labels(), litmus_filter.shows_published),
        horizons=horizon_labels(),
        names=len(names),
        tests=test_lines(names),
        markets=sum(is_in_chart(run, "markets") and run.is_scored for run in records),
        prompt=litmus_filter.name_of("main"),
    )


def _seed_choices(seeds: Sequence[int], selected: int | None) -> list[tuple[str, object, bool]]:
    """(label, value in the query, whether it is selected) of all instances together and of each seed."""
    everything = (f"all {len(seeds)} instances", "", selected is None)
    return [
        *([everything] if len(seeds) > 1 else []),
        *((f"seed {seed}", seed, seed == selected or len(seeds) == 1) for seed in seeds),
    ]


def test_of(records: Sequence[RunRecord], litmus_filter: LitmusFilter) -> str:
    """The test that the page shows: the chosen one, or the first of those that most agents have played."""
    agents = {test: {run.agent_id for run in records if run.environment == test} for test in LITMUS_TESTS}
    return litmus_filter.test or max(LITMUS_TESTS, key=lambda test: len(agents[test]))


def _table(
    rows: Sequence[LitmusRow], test: str, litmus_filter: LitmusFilter, links: LeaderboardLinks
) -> LitmusLeaderboard:
    index = LITMUS_TESTS.index(test)
    return build_leaderboard([row for row in rows if row.scores[index] is not None], litmus_filter, links, [test])
