"""The page of one agent: its history in numbers, its figures, its latest runs."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse

from accounts.pages.requests import MemberRequest
from agents.baselines.registry import BASELINES
from agents.options import EFFORTS
from agents.providers.learned import Learned
from analysis.agent_page import selectors
from analysis.agent_page.history import HistoryRow
from analysis.base.benchmark_filters import TableFilter
from analysis.base.leaderboard import cell_query, conditions_query
from analysis.base.litmus_filters import ALL, LitmusFilter
from analysis.base.selectors import styles_of_agents
from analysis.base.table import BenchmarkColumn, Kind
from analysis.cost.panel import SMALL_HEIGHT, CostPanel
from analysis.cost.selectors import CostFilter, costs_of
from analysis.figures.agent_page import litmus_profile as draw_profile
from analysis.figures.agent_page import over_time_figure, rounds_figure
from analysis.figures.cost import cost_figure
from analysis.litmus.runs import records_of
from analysis.views.answers import FigureAnswer, run_url
from environments.registry import LITMUS_TESTS
from infrastructure.figures.theme import ACCENT
from runs.catalog import retirement_of
from runs.findings.selectors import Share, agent_table
from runs.models import Agent, PlayerClass
from workspace.drift.selectors import round_rows, watch_or_404, watches_of

OWN_ROWS = tuple(kind for kind in Kind if kind != Kind.PUBLISHED)


@dataclass(frozen=True)
class Line:
    """A row of the table with the address of its runs."""

    row: HistoryRow
    address: str


def agent(request: MemberRequest, agent_slug: str) -> HttpResponse:
    agent = selectors.agent_or_404(organization=request.organization, slug=agent_slug)
    totals, history = selectors.totals_of(agent), selectors.history_of(agent)
    baseline, learned = BASELINES.get(agent.baseline), Learned.from_json(agent.learned)
    context = {
        "agent": agent,
        "about": baseline.description if baseline else "",
        "totals": totals,
        "tiles": selectors.tiles_of(agent, totals, history),
        "lines": [Line(row, _runs_address(agent, row)) for row in history],
        "has_solved": any(row.sums.solved is not None for row in history),
        "has_litmus": any(row.conditions.environment in LITMUS_TESTS for row in history),
        "latest": selectors.latest_runs(agent),
        "opponents": [(other, _compare_address(agent, other)) for other in selectors.opponents_of(agent)],
        "most_dots": selectors.MOST_DOTS,
        "typical": _typical_findings(agent),
        "cost": _cost_panel(agent, history),
        "retirement": (retirement := retirement_of(agent)),
        "may_launch": request.membership.may_edit
        and not (agent.imported or agent.is_outside or agent.archived_at or (retirement and retirement.is_retired)),
        "efforts": [effort for effort in learned.efforts or EFFORTS if effort != agent.reasoning_effort],
        "takes": learned.sentences,
        "watches": watches_of(organization=request.organization, agent=agent),
    }
    return render(request, "analysis/agent.html", context)


def _cost_panel(agent: Agent, history: list[HistoryRow]) -> CostPanel | None:
    """None for an agent that has no costs on the leaderboard."""
    if not any(row.conditions.is_usual and not row.conditions.deviations and row.sums.cost_nano for row in history):
        return None
    return CostPanel(reverse("analysis:cost"), reverse("analysis:agent-cost", args=[agent.slug]), SMALL_HEIGHT)


def cost(request: MemberRequest, agent_slug: str) -> FigureAnswer:
    """The small figure of scores and costs, in which the other agents are grey."""
    agent = selectors.agent_or_404(organization=request.organization, slug=agent_slug)
    board = costs_of(organization=request.organization, table_filter=CostFilter())
    return FigureAnswer(cost_figure(board, styles_of_agents(organization=request.organization), agent.pk))


def _typical_findings(agent: Agent) -> list[Share]:
    """The rules that found something in the agent's runs, the most frequent first."""
    agents = agent_table(organization=agent.organization, agent=agent).agents
    shares = [share for row in agents for share in row.shares if share.runs]
    return sorted(shares, key=lambda share: -share.percent)


def over_time(request: MemberRequest, agent_slug: str) -> FigureAnswer:
    agent = selectors.agent_or_404(organization=request.organization, slug=agent_slug)
    return FigureAnswer(over_time_figure(selectors.scored_runs(agent), run_url))


def watch_scores(request: MemberRequest, watch_id: int) -> FigureAnswer:
    """The figure of the rounds of a watch for drift."""
    watch = watch_or_404(organization=request.organization, watch_id=watch_id)
    return FigureAnswer(rounds_figure(round_rows(watch), lambda number: reverse("dashboard:experiment", args=[number])))


def litmus_profile(request: MemberRequest, agent_slug: str) -> FigureAnswer:
    """The figure of litmus scores.

    It shows full-length runs, as the litmus page does. If none has a score, it adds shorter and custom runs.
    """
    organization = request.organization
    agent = selectors.agent_or_404(organization=organization, slug=agent_slug)
    whole = LitmusFilter(rows=OWN_ROWS, agents=(agent.slug,), mixed=1)
    records = records_of(organization=organization, litmus_filter=whole)
    if not any(record.is_scored for record in records):
        shorter = LitmusFilter(rows=OWN_ROWS, agents=(agent.slug,), scope=ALL, mixed=1)
        records = records_of(organization=organization, litmus_filter=shorter)
    style = styles_of_agents(organization=organization).get(agent.pk)
    return FigureAnswer(draw_profile(records, style.colour if style else ACCENT, run_url))


def _runs_address(agent: Agent, row: HistoryRow) -> str:
    """The address of the runs behind a row: the cell of the leaderboard, or else the table of runs with a text search."""
    conditions = row.conditions
    column = BenchmarkColumn(conditions.environment, conditions.difficulty)
    rows: tuple[str, ...] = (Kind.IMPORTED,) if conditions.imported else TableFilter.default("rows")
    if agent.player_class != PlayerClass.SITE:
        rows = (agent.player_class,)
    table_filter = TableFilter(
        rows=rows, variant=conditions.variant, periods=conditions.periods, generator=conditions.generator, mixed=1
    )
    if column in table_filter.columns:
        return f"{reverse('analysis:cell')}?{cell_query(agent.slug, column, conditions_query(table_filter))}"
    variant = conditions.variant if conditions.variant != "main" else ""
    text = " ".join(filter(None, (agent.name, conditions.environment, conditions.difficulty, variant)))
    return f"{reverse('dashboard:runs')}?{urlencode({'state': 'finished', 'text': text})}"


def _compare_address(agent: Agent, other: selectors.Opponent) -> str:
    rows = {"rows": OWN_ROWS} if agent.imported or other.imported else {}
    return f"{reverse('analysis:compare')}?{urlencode({'agents': (agent.slug, other.slug), **rows}, doseq=True)}"
