from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from api.schemas.base import Out, Verbatim
from environments.changes.largest import KINDS
from environments.registry import RULES_BY_KEY
from infrastructure.schemas import choices
from runs.findings.selectors import AgentTable, RunReport
from runs.models import Run

STATES = ("unfinished", "pending", "failed", "ready")
RuleKey = Annotated[str, choices(RULES_BY_KEY)]


class FindingOut(Out):
    rule: RuleKey
    title: str
    is_problem: bool
    """Whether the rule finds a mistake."""
    period: int | None
    """The period of the finding; null if it is not about a single period."""
    seat: str
    """The seat that the finding is about; empty if it is about the whole run."""
    value: float | None
    """The number that the rule measured; see the documentation of findings."""
    sentence: Verbatim


class BehaviourChange(Out):
    kind: Annotated[str, choices(KINDS)]
    """The kind of change: actions, their spread, the result, or the wording of the notes."""
    period: int
    seat: str
    """The seat that the change is about; empty if it is about the whole run."""
    size: float
    """Size of the change in standard errors, so that kinds are comparable; see the documentation of findings."""
    sentence: Verbatim


class RunFindingsOut(Out):
    run: int
    state: Annotated[str, choices(STATES)]
    """`pending` until they are computed; `failed` by a fault in EconEvals."""
    rules_version: int | None
    computed_at: datetime | None
    findings: list[FindingOut]
    changes: list[BehaviourChange]
    """The largest changes of the run, at most three, sorted by period. They are listed even if no rule reports them."""

    @staticmethod
    def values(run: Run, report: RunReport) -> dict[str, Any]:
        return RunFindingsOut.from_row(
            report,
            run=run.pk,
            findings=[FindingOut.from_row(row) for row in report.findings],
            changes=[BehaviourChange.from_row(change) for change in report.changes],
        )


class RuleOut(Out):
    key: RuleKey
    title: str
    is_problem: bool


class RuleShare(Out):
    rule: RuleKey
    runs: int
    """Number of finished runs with the finding."""
    of: int
    """Number of finished runs in environments to which the rule applies."""


class AgentFindingsOut(Out):
    agent: Annotated[str, Field(examples=["pricing-local-search"])]
    name: str
    runs: int
    """Number of finished runs whose findings are computed."""
    rules: list[RuleShare]


class FindingsOut(Out):
    rules: list[RuleOut]
    """The rules that found something, mistakes first."""
    agents: list[AgentFindingsOut]
    pending: int
    """Number of finished runs whose findings are not computed yet."""

    @staticmethod
    def values(table: AgentTable) -> dict[str, Any]:
        return FindingsOut.from_row(
            table,
            rules=[RuleOut.from_row(rule) for rule in table.rules],
            agents=[
                AgentFindingsOut.from_row(
                    row, agent=row.slug, rules=[RuleShare.from_row(share, rule=share.key) for share in row.shares]
                )
                for row in table.agents
            ],
        )
