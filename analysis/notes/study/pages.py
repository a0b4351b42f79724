"""The result of an analysis as a figure, as rows of its page, and as files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from django.urls import reverse

from analysis.notes.text.report import Result
from infrastructure.figures import theme
from infrastructure.figures.colours import AgentStyle
from infrastructure.figures.theme import PlotlyFigure
from infrastructure.text.formats import counted
from infrastructure.text.tables import Table, typed

HEIGHT = 460
UNKNOWN = AgentStyle(theme.FAINT, "circle")
CLUSTER_COLUMNS = (
    *typed(int, "cluster"), *typed(str, "label"), *typed(int, "paragraphs"), *typed(str, "dominant_agent"),
    *typed(float, "dominance"), *typed(str, "agent"), *typed(int, "agent_paragraphs"), *typed(float, "agent_share"),
)  # fmt: skip


Where = Callable[[int, int], str]
"""Returns the address of the notes of a run in a period; empty for no link."""


@dataclass(frozen=True)
class StudyPage:
    """A result as `analysis/notes/_result.html` shows it, to members and to visitors.

    legend: agents with the numbers of their colours
    naming: the heading above the names of clusters, or above their numbers if they have no names
    vectors: the model that computed the vectors, empty if the worker computed them without a model
    figure: the address of the figure's data
    opens: whether examples and points link to their periods
    """

    result: Result
    clusters: list[dict[str, Any]]
    preferences: list[dict[str, Any]]
    legend: list[dict[str, Any]]
    naming: str
    vectors: str
    figure: str
    opens: bool

    @property
    def has_examples(self) -> bool:
        return any(cluster["nearest"] for cluster in self.clusters)


def note_url(run: int, period: int) -> str:
    return f"{reverse('dashboard:period', args=[run, period])}?tab=notes"


def study_page(
    result: Result,
    styles: Mapping[int, AgentStyle],
    where: Where = note_url,
    *,
    naming: str,
    vectors: str,
    figure: str,
) -> StudyPage:
    legend = [agent | {"colour": colour_number(styles, agent["id"])} for agent in result["agents"]]
    rows = cluster_rows(result, styles, where), preference_rows(result, where)
    heading = "Cluster" if result.get("unnamed") else naming
    return StudyPage(result, *rows, legend, heading, vectors, figure, opens=where is note_url)


def names_of(result: Result) -> dict[int, str]:
    return {agent["id"]: agent["name"] for agent in result["agents"]}


def scatter_figure(result: Result, styles: Mapping[int, AgentStyle], where: Where = note_url) -> PlotlyFigure:
    """Paragraphs as points on the first two principal components, coloured by agent."""
    names = names_of(result)
    traces = []
    for agent, name in names.items():
        points = [point for point in result["points"] if point[2] == agent]
        traces.append(
            styles.get(agent, UNKNOWN).dots(
                [point[0] for point in points], [point[1] for point in points], theme.plain(name, 40), 0.6,
                hovertext=[f"{theme.plain(name, 60)}, run {run:.0f}, period {period:.0f}" for *_, run, period in points],
                customdata=[where(int(run), int(period)) for *_, run, period in points],
            )
        )  # fmt: skip
    layout = {
        "xaxis": theme.x_axis(
            title=theme.axis_title(_axis("First", result, 0), 8), showgrid=True, gridcolor=theme.LINE
        ),
        "yaxis": theme.y_axis(title=theme.axis_title(_axis("Second", result, 1), 4), fixedrange=False),
        "hovermode": "closest",
    }
    return theme.figure(
        traces,
        layout,
        description=(
            f"{counted(len(result['points']), 'paragraph,paragraphs')} by {', '.join(list(names.values())[:8])} on the first "
            "two principal components. Paragraphs with similar words are close to each other."
        ),
        height=HEIGHT,
        select="url",
    )


def _axis(which: str, result: Result, component: int) -> str:
    variance = result.get("variance", [])
    share = f", {100 * variance[component]:.1f} % of the variance" if component < len(variance) else ""
    return f"{which} principal component{share}"


def cluster_rows(result: Result, styles: Mapping[int, AgentStyle], where: Where) -> list[dict[str, Any]]:
    """Clusters for the page. bar: each agent's part of the sum of shares, with the number of the agent's colour"""
    names = names_of(result)
    return [
        cluster
        | {
            "number": number,
            "bar": _bar(cluster["agents"], names, styles),
            "name": names[cluster["dominant"]],
            "nearest": [_linked(example, where) | {"name": names[example["agent"]]} for example in cluster["nearest"]],
            "percent": f"{100 * cluster['dominance']:.0f} %",
            "colour": colour_number(styles, cluster["dominant"]),
        }
        for number, cluster in enumerate(result["clusters"], 1)
    ]


def _linked(example: dict[str, Any], where: Where) -> dict[str, Any]:
    return example | {"url": where(example["run"], example["period"])}


def _bar(
    parts: Sequence[dict[str, Any]], names: Mapping[int, str], styles: Mapping[int, AgentStyle]
) -> list[dict[str, Any]]:
    """Rectangles of a bar of width 100. The part of an agent is its share divided by the sum of all agents' shares."""
    whole = sum(part["share"] for part in parts) or 1.0
    widths = [100 * (part["share"] / whole) for part in parts]
    return [
        part
        | {
            "agent": names[part["agent"]],
            "colour": colour_number(styles, part["agent"]),
            "part": part["share"] / whole,
            "x": round(x, 2),
            "width": round(width, 2),
        }
        for part, x, width in zip(parts, accumulate(widths, initial=0.0), widths, strict=False)
    ]


def colour_number(styles: Mapping[int, AgentStyle], agent: int) -> int:
    """The number of the agent's colour in tokens.css, 0 if it has none."""
    return styles.get(agent, UNKNOWN).number


def preference_rows(result: Result, where: Where) -> list[dict[str, Any]]:
    names = names_of(result)
    return [
        row | {"name": names[row["agent"]], "example": row["example"] and _linked(row["example"], where)}
        for row in result["preferences"]
    ]


def clusters_table(result: Result) -> Table:
    """One row for each cluster and agent."""
    names = names_of(result)
    rows = [
        (
            number, cluster["label"], cluster["size"], names[cluster["dominant"]], cluster["dominance"],
            names[part["agent"]], part["paragraphs"], part["share"],
        )
        for number, cluster in enumerate(result["clusters"], 1)
        for part in cluster["agents"]
    ]  # fmt: skip
    return Table("Clusters of paragraphs by agent", CLUSTER_COLUMNS, rows)
