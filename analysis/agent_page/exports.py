"""The tables about agents as records: their history, and what happened in their runs."""

from collections.abc import Iterable

from analysis.agent_page.history import HistoryRow
from analysis.exports import columns
from infrastructure.money import usd
from infrastructure.text.tables import Column, Table
from runs.findings.selectors import AgentFindings
from runs.models import Agent


def history(rows: Iterable[tuple[Agent, HistoryRow]]) -> Table:
    """One row for each agent and conditions; scores are unrounded shares, the cost is that of all runs."""
    names = [
        *columns("agent", "environment", "difficulty", "variant", "periods", "generator", "imported", "rival"),
        *columns("instances", "runs", "mean", "interval_low", "interval_high", "standard_error", "solved"),
        Column("cost", unit="$", digits=4),
    ]
    records = [
        (
            agent.name, *vars(row.conditions).values(), row.sums.instances, row.sums.runs, row.sums.mean,
            *(row.interval or (None, None)), row.sums.standard_error, row.sums.solved,
            usd(row.sums.cost_nano) if row.cost_is_known else None,
        )
        for agent, row in rows
    ]  # fmt: skip
    return Table("Scores of agents by environment", names, records)


def findings(agents: Iterable[AgentFindings]) -> Table:
    """One row for each agent and rule: in how many of the finished runs to which the rule applies it found something."""
    names = [
        *columns("agent", "rule", "finding", "mistake", "runs_with_it", "runs"),
        Column("share", unit="%", digits=0),
    ]
    rows = [
        (
            agent.name,
            share.key,
            share.rule.title,
            share.rule.is_problem,
            share.runs,
            share.of,
            100 * share.runs / share.of,
        )
        for agent in agents
        for share in agent.shares
        if share.of
    ]
    return Table("Findings by agent", names, rows)
