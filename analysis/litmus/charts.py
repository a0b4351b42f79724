"""The data of the litmus page's charts, from plain records. `records` are finished runs, oldest first."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from analysis.base.table import RunRecord
from environments.patience.cells import NAME_HORIZON
from games.patience.names_figure import NameScores
from games.registry import LITMUS_CHARTS
from infrastructure.figures.colours import AgentStyle
from stats.summaries import mean

PARETO = ("revenue", "inequality", "frontier_distance", "frontier_share")
MARKET = ("mean_price_by_seat", "place_by_seat")
CURVES = ("by_horizon",)
NAMES = ("by_name",)


@dataclass(frozen=True)
class AgentMeans:
    """An agent's means in the Pareto chart: litmus score, distance from the paper's line, share of the frontier."""

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
    """One line per agent, in the order of the runs."""
    by_agent: dict[int, list[RunRecord]] = {}
    for run in runs:
        by_agent.setdefault(run.agent_id, []).append(run)

    def average(values: Iterable[float | None]) -> float | None:
        return mean([value for value in values if value is not None])

    return [
        AgentMeans(
            own[0].agent_name,
            len(own),
            average(run.score for run in own),
            average(run.metrics["frontier_distance"] for run in own),
            average(run.metrics["frontier_share"] for run in own),
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
    """Each agent's latest finished run that a chart shows, agents in the order of the records."""
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
