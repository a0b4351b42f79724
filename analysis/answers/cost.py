"""What does a score cost?"""

from collections.abc import Iterator, Sequence

from django.utils.text import get_text_list

from accounts.models import Organization
from analysis.answers.base import Answer, AnswerFigure, AnswerTable, RunLink
from analysis.base.selectors import styles_of_agents
from analysis.cost.frontier import CostBoard, CostRow
from analysis.cost.panel import HEIGHT
from analysis.cost.selectors import CostFilter, costs_of
from analysis.figures.cost import cost_figure
from infrastructure.figures.theme import PlotlyFigure
from infrastructure.money import NANO
from infrastructure.text.formats import counted, money
from infrastructure.text.tables import Column, typed

COST, SCORE = "score-against-cost", "overall-mean"
NAMED = 6
"""The most agents that a sentence names."""


def _rows(board: CostBoard) -> Iterator[tuple[object, ...]]:
    for row in board.rows:
        yield (
            row.name, row.kind, row.effort or None, row.score, *(row.score_interval or (None, None)),
            row.cost, *(row.cost_interval or (None, None)), row.is_efficient, row.columns, row.instances, row.runs,
        )  # fmt: skip


def sentences(board: CostBoard) -> list[str]:
    complete = [row for row in board.rows if row.is_complete]
    columns = counted(len(board.columns), "column,columns")
    over = f"all {columns}" if len(board.columns) > 1 else "the column"
    parts = [
        _frontier_sentence(board, over) if board.frontier else f"No agent with a known cost has a score in {over}.",
    ]
    if board.efforts:
        parts.append(f"Lines join the efforts of one model: {'; '.join(map(_names, board.efforts))}.")
    if partial := [row for row in board.rows if not row.is_complete]:
        parts.append(f"Hollow, and not compared with the frontier, since columns are missing: {_names(partial)}.")
    if unknown := [row for row in complete if row.cost is None]:
        parts.append(f"No price is known for {_names(unknown)}, so no cost is. Enter prices on the page of the agent.")
    if board.mixed:
        titles = [column.title for column in board.mixed[:3]]
        more = f" and {len(board.mixed) - 3} more" if len(board.mixed) > 3 else ""
        parts.append(
            f"Rows rest on different instances in {', '.join(titles)}{more}, so differences may come from these. Compare "
            "pairs agents instance by instance."
        )
    return parts


def _frontier_sentence(board: CostBoard, over: str) -> str:
    stations = [
        f"{row.name} ({row.score:.1f} points for {'nothing' if not row.cost else money(round(row.cost * NANO))})"
        for row in board.frontier
    ]
    dearest = board.frontier[-1].name
    if len(stations) == 1:
        return f"{stations[0]} is the frontier: no agent with {over} scores more, or as much for less a run."
    named = stations if len(stations) <= NAMED else [*stations[: NAMED - 1], f"{len(stations) - NAMED + 1} more"]
    return (
        f"On the frontier, from the cheapest run: {get_text_list(named, 'and')}. No agent with {over} scores as much for "
        f"less, and none scores more than {dearest}."
    )


def _names(rows: Sequence[CostRow]) -> str:
    names = [f"{row.name} ({row.effort})" if row.effort and row.effort not in row.name else row.name for row in rows]
    return get_text_list(
        names if len(names) <= NAMED else [*names[: NAMED - 1], f"{len(names) - NAMED + 1} more"], "and"
    )


def _figure(organization: Organization, table_filter: CostFilter, link: RunLink) -> PlotlyFigure:
    board = costs_of(organization=organization, table_filter=table_filter)
    return cost_figure(board, styles_of_agents(organization=organization))


def _measured(name: str, unit: str, group: str, digits: int, anchor: str) -> list[Column]:
    """The columns of a mean and of its interval."""
    titles = (("mean", "mean"), ("low", "95 % from"), ("high", "95 % to"))
    return [
        Column(
            f"{name}_{end}_{unit}",
            title,
            group=group,
            digits=digits,
            value_type=float,
            description=f"{group}: {title}.",
            anchor=anchor if end == "mean" else "",
        )
        for end, title in titles
    ]


COST_ANSWER = Answer(
    name="cost",
    title="Score against cost",
    question="What does a score cost? Which agents score most for their cost, and what does more effort bring?",
    filter_class=CostFilter,
    read=lambda owner, table_filter: costs_of(organization=owner, table_filter=table_filter),
    sentences=sentences,
    tables={
        "cost": AnswerTable(
            "mean score and mean cost of a run by agent",
            "Mean score and mean cost of a run",
            [
                *typed(str, "agent", "row", "effort"),
                *_measured("score", "points", "Score, points of 100", 1, SCORE),
                *_measured("cost", "usd", "Cost of a run, $", 4, COST),
                Column("on_frontier", value_type=bool, anchor=COST),
                Column("columns", value_type=int, description="Number of columns with a score of the agent."),
                Column("instances", value_type=int, description="Finished instances in these columns."),
                Column("runs", value_type=int, description="Finished runs in these columns."),
            ],
            _rows,
            file="table",
        )
    },
    figures={
        "cost": AnswerFigure(
            "mean score against mean cost of a run", _figure, file="figure", anchor=COST, height=HEIGHT
        )
    },
)
