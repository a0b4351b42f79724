"""Queries for findings: those of one run or of the runs in a table, and counts by agent."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from accounts.models import Organization
from environments.base import SINGLE_SEAT
from environments.changes.largest import KINDS
from environments.findings import Rule
from environments.registry import RULES_BY_KEY, rules_of
from runs.findings.models import Finding, RunFindings, title_of
from runs.models import Agent, PlayerClass, Run, RunState

TWO_AGENTS = Q(rival__isnull=False) & ~Q(rival=F("agent"))
"""Runs with another agent as rival. It plays every seat but the first, see Run.agent_in."""

IN_TWO = Q(run__rival__isnull=False) & ~Q(run__rival=F("run__agent"))
ABOUT_AGENT = ~IN_TWO | Q(seat__in=("", SINGLE_SEAT))
ABOUT_RIVAL = IN_TWO & ~Q(seat=SINGLE_SEAT)
"""ABOUT_AGENT: findings about the agent of a run; ABOUT_RIVAL: about its rival. Findings without a seat are about both."""


@dataclass(frozen=True)
class Change:
    """One of the largest changes of a run. It may have no finding.

    kind: key of `environments.changes.largest.KINDS`; size: in standard errors
    """

    kind: str
    period: int
    seat: str
    size: float
    sentence: str

    @property
    def title(self) -> str:
        return KINDS.get(self.kind, self.kind.capitalize())


@dataclass(frozen=True)
class RunReport:
    """The findings of a run and the state of their computation.

    state: 'unfinished' (the run), 'pending' until they are computed, 'failed' (see RunFindings.error) or 'ready'
    changes: the largest changes, by period; is_awaited: whether the state changes without an action of a person
    """

    state: str
    findings: Sequence[Finding]
    is_awaited: bool = False
    computed_at: datetime | None = None
    rules_version: int | None = None
    error: str = ""
    changes: Sequence[Change] = ()

    @property
    def findings_and_changes(self) -> list[Finding | Change]:
        return [*self.findings, *self.changes]

    @property
    def marks(self) -> list[tuple[int, str]]:
        """(period, sentence) for each finding and change that concerns a single period."""
        return [(entry.period, entry.sentence) for entry in self.findings_and_changes if entry.period is not None]


def run_report(run: Run) -> RunReport:
    """The report of a run, in two queries. Findings of older rules are shown until the new ones are computed."""
    if not run.is_finished:
        return RunReport("unfinished", (), run.is_active)
    row = RunFindings.objects.filter(run=run).first()
    if row is None or row.computed_at is None:
        return RunReport("pending", (), True)
    return RunReport(
        state="failed" if row.error else "ready",
        findings=list(Finding.objects.filter(run=run)),
        computed_at=row.computed_at,
        rules_version=row.rules_version,
        error=row.error,
        changes=sorted((Change(**change) for change in row.changes), key=attrgetter("period")),
    )


def titles_of_runs(ids: Iterable[int]) -> dict[int, list[str]]:
    """Titles of findings by run id, in one query. If a rule has several findings in a run, its title appears once."""
    titles: dict[int, dict[str, None]] = defaultdict(dict)
    for run_id, rule in Finding.objects.filter(run__in=list(ids)).order_by("id").values_list("run_id", "rule"):
        titles[run_id][title_of(rule)] = None
    return {run_id: list(run_titles) for run_id, run_titles in titles.items()}


def with_finding(runs: QuerySet[Run], rule: str, agent: str = "") -> QuerySet[Run]:
    """The runs with a finding of this rule. `agent`: slug of the agent that the finding must be about."""
    is_about = ABOUT_AGENT & Q(run__agent__slug=agent) | ABOUT_RIVAL & Q(run__rival__slug=agent)
    findings = Finding.objects.filter(is_about if agent else Q(), run=OuterRef("pk"), rule=rule)
    return runs.filter(Exists(findings))


@dataclass(frozen=True)
class Share:
    """The share of an agent's finished runs with a finding: `runs` out of the `of` runs to which the rule applies."""

    rule: Rule
    runs: int
    of: int

    @property
    def key(self) -> str:
        return self.rule.key

    @property
    def percent(self) -> int:
        return round(100 * self.runs / self.of) if self.of else 0


@dataclass(frozen=True)
class AgentFindings:
    """The findings of one agent. `runs` is the number of its finished runs with computed findings."""

    slug: str
    name: str
    runs: int
    shares: Sequence[Share]
    player_class: str = PlayerClass.SITE


@dataclass(frozen=True)
class AgentTable:
    """The findings of all agents: first the site's own agents, then outside agents, then people, each sorted by name.

    rules: the rules with a finding, mistakes first
    pending: number of finished runs whose findings are not computed yet
    """

    rules: Sequence[Rule]
    agents: Sequence[AgentFindings]
    pending: int

    @property
    def mistakes(self) -> int:
        """The number of the table's rules that find mistakes."""
        return sum(rule.is_problem for rule in self.rules)

    @property
    def others(self) -> int:
        return len(self.rules) - self.mistakes


def agent_table(*, organization: Organization, environment: str = "", agent: Agent | None = None) -> AgentTable:
    """Count the findings by agent, in six queries. Agents without computed runs are left out.

    A run of two agents counts for both. Each gets the findings about its own seats and about the whole run.
    environment, agent: if given, only runs of these count
    """
    runs = Run.objects.filter(organization=organization, state=RunState.FINISHED).order_by()
    findings = Finding.objects.filter(organization=organization, run__deleted_at=None).order_by()
    if environment:
        runs = runs.filter(instance__environment=environment)
        findings = findings.filter(run__instance__environment=environment)
    computed = runs.filter(findings_computed__computed_at__isnull=False, findings_computed__error="")
    totals: dict[int, Counter[tuple[str, str]]] = defaultdict(Counter)
    counts: Counter[tuple[int, str]] = Counter()
    of_player = Q(player=agent.pk) if agent else Q()
    for column, has_player, is_about in (("agent", Q(), ABOUT_AGENT), ("rival", TWO_AGENTS, ABOUT_RIVAL)):
        player_runs = computed.filter(has_player).annotate(player=F(column)).filter(of_player)
        kinds = player_runs.values_list("player", "instance__environment", "findings_computed__inapplicable")
        for player, game, inapplicable, number in kinds.annotate(n=Count("id")):
            totals[player][game, inapplicable] += number
        player_findings = findings.filter(is_about).annotate(player=F(f"run__{column}")).filter(of_player)
        by_rule = player_findings.values_list("player", "rule")
        for player, rule, number in by_rule.annotate(n=Count("run", distinct=True)):
            counts[player, rule] += number
    seen = {rule for _, rule in counts}
    rules = sorted((rule for key, rule in RULES_BY_KEY.items() if key in seen), key=lambda rule: not rule.is_problem)
    agents = [
        AgentFindings(
            slug=row.slug,
            name=row.name,
            runs=totals[row.pk].total(),
            shares=[Share(rule, counts[row.pk, rule.key], _applicable(totals[row.pk], rule, row)) for rule in rules],
            player_class=row.player_class,
        )
        for row in sorted(Agent.objects.filter(pk__in=totals), key=_class_and_name)
    ]
    waiting = runs.filter(Q(agent=agent) | Q(rival=agent) if agent else Q(), findings_computed__computed_at=None)
    return AgentTable(rules, agents, waiting.count())


def _class_and_name(agent: Agent) -> tuple[int, str]:
    return list(PlayerClass.values).index(agent.player_class), agent.name.casefold()


def _applicable(kinds_of_runs: Counter[tuple[str, str]], rule: Rule, agent: Agent) -> int:
    """The number of runs to which the rule applies.

    kinds_of_runs: number of runs by (environment, keys of the rules that do not apply, joined by spaces)
    """
    if rule.of_models and agent.is_baseline:
        return 0
    return sum(
        number
        for (game, inapplicable), number in kinds_of_runs.items()
        if rule.key not in inapplicable.split() and any(own.key == rule.key for own in rules_of(game))
    )
