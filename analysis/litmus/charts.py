"""The data of the litmus page's charts, from plain records. `records` are finished runs, oldest first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from analysis.figures.colours import AgentStyle
from analysis.figures.episodes.collusion import MarketRun
from analysis.figures.names import NameScores
from analysis.figures.pareto import ParetoRun
from analysis.figures.registry import LITMUS_CHARTS
from analysis.records import RunRecord
from analysis.statistics import mean
from environments.patience.cells import NAME_HORIZON

PARETO = ("revenue", "inequality", "frontier_distance", "frontier_share")
MARKET = ("mean_price_by_seat", "place_by_seat")
CURVES = ("by_horizon",)
NAMES = ("by_name",)


@dataclass(frozen=True)
class Standing:
    """An agent's means in the Pareto chart: litmus score, distance from the paper's line, share of the frontier."""

    agent: str
    runs: int
    litmus: float | None
    distance: float | None
    frontier_share: float | None


def pareto_runs(records: Iterable[RunRecord], seed: int | None = None) -> list[ParetoRun]:
    return [
        ParetoRun(
            run.run_id, run.agent_id, run.agent_name, run.instance_id, run.seed, run.metrics["revenue"],
            run.metrics["inequality"], run.score, run.metrics["frontier_distance"], run.metrics["frontier_share"],
        )
        for run in records
        if (run.environment, run.variant) == LITMUS_CHARTS["pareto"] and run.is_scored and seed in (None, run.seed)
        and run.metrics.get("revenue") is not None
    ]  # fmt: skip


def standings(runs: Sequence[ParetoRun]) -> list[Standing]:
    """One line per agent, in the order of the runs."""
    by_agent: dict[int, list[ParetoRun]] = {}
    for run in runs:
        by_agent.setdefault(run.agent_id, []).append(run)

    def average(own: Sequence[ParetoRun], name: str) -> float | None:
        return mean([value for run in own if (value := getattr(run, name)) is not None])

    return [
        Standing(
            own[0].agent_name,
            len(own),
            average(own, "litmus"),
            average(own, "frontier_distance"),
            average(own, "frontier_share"),
        )
        for own in by_agent.values()
    ]


def market_runs(records: Iterable[RunRecord]) -> list[MarketRun]:
    markets = []
    for run in records:
        places, prices = run.metrics.get("place_by_seat"), run.metrics.get("mean_price_by_seat", {})
        if run.environment == LITMUS_CHARTS["markets"][0] and run.is_scored and places and len(places) == 2:
            seats = sorted(places)
            markets.append(
                MarketRun(
                    run.run_id, run.agent_id, run.player, run.seed, run.score,
                    tuple(prices[seat] for seat in seats), tuple(places[seat] for seat in seats),
                )
            )  # fmt: skip
    return markets


def latest(records: Iterable[RunRecord], chart: str) -> dict[int, RunRecord]:
    """Each agent's latest finished run that a chart shows, agents in the order of the records."""
    found: dict[int, RunRecord] = {}
    for run in records:
        if (run.environment, run.variant) == LITMUS_CHARTS[chart] and run.state == "finished":
            known = found.get(run.agent_id)
            if known is None or run.run_id > known.run_id:
                found[run.agent_id] = run
    return found


def name_scores(
    records: Sequence[RunRecord], styles: Mapping[int, AgentStyle], link: Callable[[int], str]
) -> list[NameScores]:
    """Each agent's rates by name, and its rate at the same horizon without a name."""
    plain = latest(records, "patience")
    result = []
    for agent, run in latest(records, "names").items():
        by_name = run.metrics.get("by_name") or {}
        without = plain.get(agent)
        rate = None
        if without is not None:
            rate = ((without.metrics.get("by_horizon") or {}).get(NAME_HORIZON) or {}).get("rate")
        result.append(
            NameScores(
                agent=run.agent_name,
                rates={name: row["rate"] for name, row in by_name.items()},
                without=rate,
                colour=styles[agent].colour,
                targets=dict.fromkeys(by_name, link(run.run_id)),
                without_target=link(without.run_id) if without else None,
            )
        )
    return result
