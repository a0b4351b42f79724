"""The declaration of a game, with defaults that fit every environment."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from environments.base import Instance, Outcome
from environments.shocks import OURS, WINDOW
from games.logs.format import AnswerFormat, Format
from games.overlay import RunPath
from games.presenter import Presenter
from games.quality import quality_figure, quality_overlay, quality_panel
from games.screens.base import Screen
from infrastructure.figures.panels import Panel
from infrastructure.figures.theme import PlotlyFigure

RunFigure = Callable[[Instance, Sequence[Outcome], int, str], PlotlyFigure]
"""Function with the arguments: instance, outcomes (at least one), last period of the x axis, colour of the agent."""

RunOverlay = Callable[[Instance, Sequence[RunPath], int], PlotlyFigure]
"""Function with the arguments: instance, runs with at least one outcome each, last period of the x axis."""

CoursePanel = Callable[[Instance, Sequence[RunPath], int], Panel]
"""Function with the arguments of a RunOverlay. The panel is small; it has no traces if there is nothing to draw.

The outcomes have no results, since a page reads those of dozens of runs.
"""

DEFAULT_COURSE: CoursePanel = quality_panel

InstanceFigure = Callable[[Instance], PlotlyFigure]
"""Function of the instance. Its reference is empty if it is costly and no worker has computed it."""


@dataclass(frozen=True)
class Metric:
    """A metric of a run that explains its score. Its value is a share.

    key: its name in the run's metrics
    title, unit: title and unit of the axis; values are shown in percent
    meaning: what it counts, for the heading of a table
    source: where the papers show it
    by_release: whether it is also shown by release date of reasoning models
    by_reasoning: whether it is also used to compare reasoning models with other models
    of_shocks: whether only runs with a shock have it
    """

    key: str
    title: str
    unit: str
    meaning: str
    source: str
    by_release: bool = False
    by_reasoning: bool = False
    of_shocks: bool = False


RECOVERY = Metric(
    "recovery",
    "Recovery",
    "% of the level before",
    f"mean quality of the {WINDOW} periods from the shock on, as a share of that of the {WINDOW} periods before it",
    OURS,
    of_shocks=True,
)


@dataclass(frozen=True)
class SolveTime:
    """A metric of a run that counts the periods until it first took an optimal action; None if it never did.

    key: its name in the run's metrics
    event: what happened in that period, such as "first optimal plan"
    """

    key: str
    event: str


def shares_as_stored(values: Sequence[float], reference: Mapping[str, Any]) -> Sequence[float]:
    return values


@dataclass(frozen=True)
class PeriodScores:
    """A metric of a run with a value for each period, from which learning curves are made.

    key: its name in the run's metrics
    title: what a point of the curve is, for the axis
    shares: turns the values into shares of 1, with the instance's reference
    needs_reference: whether `shares` reads the reference
    """

    key: str
    title: str
    shares: Callable[[Sequence[Any], Mapping[str, Any]], Sequence[float]] = shares_as_stored
    needs_reference: bool = False


@dataclass(frozen=True)
class GameParts:
    """The parts that present one environment.

    figure, overlay: charts of a run, and of several runs of one instance
    course: a small panel of several runs of one instance, for a page of all instances
    plane: a second figure of a run, which shows the plane of two goals instead of the periods
    instance_figure: an instance with its hidden values; without it pages show the values as tables
    presenter: the sections of the pages of runs and instances
    screen: the page of a period for people
    metrics: metrics that explain scores
    solve_time: the metric that says how long a run took to its first optimal action, if the game has such an action
    period_scores: the metric behind learning curves
    log_format, answer_format: formats of published logs, by folder or by the answers of models
    litmus_charts: charts of the litmus page, each with the variant of the runs that it shows
    has_litmus_strip: whether the litmus scores of runs are shown one by one (figure 14)
    """

    figure: RunFigure = quality_figure
    overlay: RunOverlay = quality_overlay
    course: CoursePanel = DEFAULT_COURSE
    plane: RunFigure | None = None
    instance_figure: InstanceFigure | None = None
    presenter: Presenter = field(default_factory=Presenter)
    screen: Screen = field(default_factory=Screen)
    metrics: tuple[Metric, ...] = ()
    solve_time: SolveTime | None = None
    period_scores: PeriodScores | None = None
    log_format: Format | None = None
    answer_format: AnswerFormat | None = None
    litmus_charts: Mapping[str, str] = field(default_factory=dict)
    has_litmus_strip: bool = False
