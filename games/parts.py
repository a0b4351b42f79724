"""What a game declares, with defaults that fit every environment."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from environments.base import Instance, Outcome
from games.logs.format import AnswerFormat, Format
from games.overlay import RunPath
from games.presenter import Presenter
from games.quality import quality_figure, quality_overlay
from games.screens.base import Screen
from infrastructure.figures.theme import PlotlyFigure

RunFigure = Callable[[Instance, Sequence[Outcome], int, str], PlotlyFigure]
"""Arguments: the instance, at least one outcome, the last period of the x axis, the colour of the agent."""

RunOverlay = Callable[[Instance, Sequence[RunPath], int], PlotlyFigure]
"""Arguments: the instance, runs on it with at least one outcome each, the last period of the x axis."""

InstanceFigure = Callable[[Instance], PlotlyFigure]
"""Argument: the instance, whose reference is empty if it is costly and no worker has computed it."""


@dataclass(frozen=True)
class Metric:
    """A share among the metrics of a run that explains its score.

    key: its name in the run's metrics
    title, unit: of the axis; values are shown in percent
    meaning: what is counted, for the heading of a table
    source: where the papers show it
    by_release: whether it is also shown by release date of reasoning models
    by_reasoning: whether reasoning models are compared with the other models in it
    """

    key: str
    title: str
    unit: str
    meaning: str
    source: str
    by_release: bool = False
    by_reasoning: bool = False


@dataclass(frozen=True)
class GameParts:
    """How one environment is shown.

    figure, overlay: a run, and several runs of one instance in one chart
    plane: a second figure of a run: the plane of two goals instead of the periods
    instance_figure: an instance with its hidden values; without it pages show the values as tables
    presenter: the sections of the pages of runs and instances
    screen: the page of a period for people
    metrics: those that explain scores
    log_format, answer_format: published logs, by folder or by the answers of models
    litmus_charts: charts of the litmus page, each with the variant of the runs that it shows
    has_litmus_strip: whether the litmus scores of runs are shown one by one (figure 14)
    """

    figure: RunFigure = quality_figure
    overlay: RunOverlay = quality_overlay
    plane: RunFigure | None = None
    instance_figure: InstanceFigure | None = None
    presenter: Presenter = field(default_factory=Presenter)
    screen: Screen = field(default_factory=Screen)
    metrics: tuple[Metric, ...] = ()
    log_format: Format | None = None
    answer_format: AnswerFormat | None = None
    litmus_charts: Mapping[str, str] = field(default_factory=dict)
    has_litmus_strip: bool = False
