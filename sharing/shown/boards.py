"""A leaderboard for visitors: the table and figures that members see, with links below the shared address only."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import Http404, QueryDict
from django.shortcuts import get_object_or_404

from accounts.models import Organization
from analysis.benchmark.filters import TableFilter, environment_title
from analysis.benchmark.selectors import runs_summary
from analysis.benchmark.table import BenchmarkColumn, Row
from analysis.boards import cell_runs
from analysis.figures.theme import PlotlyFigure
from analysis.kinds import AnyBoard, type_of
from analysis.links import BoardLinks, nowhere
from analysis.litmus.page import LitmusPage
from analysis.models import Leaderboard
from analysis.saved.filters import from_json
from analysis.saved.selectors import facts_of
from environments.registry import LITMUS_TESTS, score_meanings
from runs.models import Agent
from sharing.shown import shown
from stats.summaries import Summary

MOST_RUNS = 500
OTHERS = "runs that do not fit these filters are left out"
"""What visitors are told of hidden runs: not whether there are any, how many or which."""


@dataclass(frozen=True)
class SharedBoard:
    """A table with its figures. `page` is what is beside a litmus table."""

    name: str
    description: str
    facts: list[str]
    meanings: dict[str, str]
    board: AnyBoard
    page: LitmusPage | None


@dataclass(frozen=True)
class SharedScore:
    """One run behind a cell, without its id: the seed, the state and the score."""

    seed: int
    state: str
    label: str
    score: float | None
    solved: bool
    played: int
    periods: int


@dataclass(frozen=True)
class SharedCell:
    agent: str
    environment: str
    difficulty: str
    summary: Summary
    runs: list[SharedScore]


def shared_board(
    leaderboard: Leaderboard, organization: Organization, address: str, view: QueryDict, *, embedded: bool = False
) -> SharedBoard:
    base, chosen = (from_json(leaderboard.kind, leaderboard.filters, one) for one in (None, view))
    whole = chosen.query(base)

    def cell(row: Row, column: BenchmarkColumn) -> str:
        own = {"agent": row.agent_slug, "environment": column.environment, "difficulty": column.difficulty}
        return f"{address}cell/?{urlencode(own)}"

    links = BoardLinks(
        query=lambda **changes: chosen.query(base, **changes),
        figure=lambda name: f"{address}{name}.json?{whole}".rstrip("?"),
        # Other pages must not be framed.
        cell=nowhere if embedded else cell,
        sorts=not embedded,
    )
    board, page = type_of(chosen).build(organization, chosen, links)
    meanings = score_meanings(getattr(chosen, "environments", LITMUS_TESTS))
    facts = [*facts_of(leaderboard, board), OTHERS]
    return SharedBoard(leaderboard.name, leaderboard.description, facts, meanings, board, page)


def board_figure(leaderboard: Leaderboard, organization: Organization, name: str, view: QueryDict) -> PlotlyFigure:
    """The data of a figure such as 'strip.pricing', which names the environment after the dot. Dots have no links."""
    figure, _, environment = name.partition(".")
    if environment:
        view = QueryDict(mutable=True)
        view["chart"] = environment
    chosen = from_json(leaderboard.kind, leaderboard.filters, view)
    figures = type_of(chosen).figures
    left_out = environment and isinstance(chosen, TableFilter) and environment not in chosen.environments
    if figure not in figures or left_out:
        raise Http404
    return figures[figure](organization, chosen, nowhere)


def shared_cell(leaderboard: Leaderboard, organization: Organization, asked: QueryDict) -> SharedCell:
    """The scores behind a cell of the table. Any other cell is Http404, like one that does not exist."""
    chosen = from_json(leaderboard.kind, leaderboard.filters)
    column = BenchmarkColumn(asked.get("environment", ""), asked.get("difficulty", ""))
    slug = asked.get("agent", "").replace("\x00", "")
    if not isinstance(chosen, TableFilter) or column not in chosen.columns:
        raise Http404
    agent = get_object_or_404(Agent, organization=organization, slug=slug)
    runs = cell_runs(organization=organization, table_filter=chosen, column=column, agent=agent)
    found = [
        shown(
            SharedScore,
            run,
            run.instance,
            score=run.score if run.state == "finished" else None,
            solved=bool(run.solved),
            played=run.periods_played,
        )
        for run in runs[:MOST_RUNS]
    ]
    if not found:
        raise Http404
    title = environment_title(column.environment)
    return SharedCell(agent.name, title, column.difficulty, runs_summary(runs), found)
