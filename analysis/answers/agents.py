"""How does each agent score under all conditions, and what did the rules find in its runs?"""

from collections.abc import Iterable, Iterator

from analysis.agent_page.history import AgentFilter, HistoryRow
from analysis.agent_page.selectors import findings_of, histories_of
from analysis.answers.base import Answer, AnswerTable
from analysis.base.table import SHARE
from infrastructure.money import usd
from infrastructure.text.tables import Column, typed
from runs.findings.selectors import AgentFindings
from runs.models import Agent


def _history(rows: Iterable[tuple[Agent, HistoryRow]]) -> Iterator[tuple[object, ...]]:
    """Scores are unrounded shares; the cost is that of all runs."""
    for agent, row in rows:
        yield (
            agent.name, *vars(row.conditions).values(), row.sums.instances, row.sums.runs, row.sums.mean,
            *(row.interval or (None, None)), row.sums.standard_error, row.sums.solved,
            usd(row.sums.cost_nano) if row.cost_is_known else None,
        )  # fmt: skip


def _findings(agents: Iterable[AgentFindings]) -> Iterator[tuple[object, ...]]:
    """The number of finished runs that a rule applies to, and the number in which it found something."""
    for agent in agents:
        for share in agent.shares:
            if share.of:
                percent = 100 * share.runs / share.of
                yield (
                    agent.name, share.key, share.rule.title, share.rule.is_problem, share.runs, share.of, percent,
                )  # fmt: skip


HISTORY = Answer(
    name="history",
    title="Scores of agents under all conditions",
    question="How does each agent score by environment, difficulty and further conditions?",
    filter_class=AgentFilter,
    read=lambda owner, agent_filter: histories_of(organization=owner, agent_filter=agent_filter),
    route="agents/",
    template="",
    tables={
        "history": AnswerTable(
            "scores of agents by environment, difficulty and further conditions",
            "Scores of agents by environment",
            [
                *typed(str, "agent", "environment", "difficulty", "variant"),
                Column("periods", value_type=int),
                Column("generator"),
                Column("imported", value_type=bool),
                Column("rival"),
                *typed(int, "instances", "runs"),
                *typed(float, "mean", "interval_low", "interval_high", "standard_error", unit=SHARE),
                Column("solved", value_type=int),
                Column("cost", unit="$", digits=4, value_type=float),
            ],
            _history,
        )
    },
)
FINDINGS = Answer(
    name="findings",
    title="Findings by agent",
    question="In how many runs of each agent did each rule find something?",
    filter_class=AgentFilter,
    read=lambda owner, agent_filter: findings_of(organization=owner, agent_filter=agent_filter),
    template="",
    tables={
        "findings": AnswerTable(
            "in how many runs of agents each rule found something",
            "Findings by agent",
            [
                *typed(str, "agent", "rule", "finding"),
                Column("mistake", value_type=bool),
                *typed(int, "runs_with_it", "runs"),
                Column("share", unit="%", digits=0, value_type=float),
            ],
            _findings,
            file="table",
        )
    },
)
