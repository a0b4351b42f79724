"""Two measures set against each other: a point for each agent, model or maker, and their correlation. Pure functions."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Generic, NamedTuple, TypeVar

from analysis.generalizability.measures import Measure
from analysis.generalizability.players import Player
from infrastructure.text.formats import counted, p_text
from stats.lines.association import Association, association
from stats.lines.fits import FEWEST_POINTS
from stats.means import LEVEL

OWN, PUBLISHED = "own", "published"
LABELS = {OWN: "Our runs", PUBLISHED: "Published"}
BY = {"agent": "By agent", "model": "By model", "maker": "By maker"}

Key = TypeVar("Key", bound=Hashable)


class Mean(NamedTuple):
    """The value of a point on one axis, and the number of agents or models that it is the mean of."""

    value: float
    n: int


@dataclass(frozen=True)
class Point:
    """An agent, a model or a maker. agent_id: of its first agent, None if it is published"""

    name: str
    x: Mean
    y: Mean
    agent_id: int | None = None


@dataclass(frozen=True)
class Series:
    """The points of one source, and their correlation or the reason why there is none.

    unknown: number of players with a value that are left out because their maker is unknown
    """

    source: str
    points: Sequence[Point]
    relation: Association | str
    unknown: int = 0

    @property
    def label(self) -> str:
        return LABELS[self.source]


@dataclass(frozen=True)
class Relation:
    """The answer: two measures, what a point is, and the points of both sources."""

    x: Measure
    y: Measure
    by: str
    series: tuple[Series, ...]


class Side(NamedTuple, Generic[Key]):
    """The values of a measure: by player, and those of makers, which replace the mean of the maker's models."""

    values: Mapping[Key, float]
    makers: Mapping[str, float]


def series_of(
    source: str, players: Mapping[Key, Player], x: Side[Key], y: Side[Key], *, by: str, bounded: bool
) -> Series:
    """Set two measures of players against each other.

    by: 'agent', 'model' or 'maker'. The value of a model is the mean of its agents, that of a maker the mean of its
        models, on each axis over those that have the measure.
    bounded: whether both measures have bounds
    """
    means = [_means(players, side, by) for side in (x, y)]
    firsts: dict[Hashable, Player] = {}
    for key, player in players.items():
        firsts.setdefault(_group(key, player, by), player)
    points = [
        Point(firsts[group].maker if by == "maker" else firsts[group].name, mean, means[1][group], _id(firsts[group]))
        for group, mean in means[0].items()
        if group in means[1]
    ]
    points.sort(key=lambda point: point.name.casefold())
    unknown = sum(by == "maker" and not players[key].maker for key in {*x.values} & {*y.values})
    return Series(source, points, _relation(points, by, bounded), unknown)


def _means(players: Mapping[Key, Player], side: Side[Key], by: str) -> dict[Hashable, Mean]:
    """The mean of each group. Players without a known maker are in no group of makers."""
    of_models: dict[Hashable, list[float]] = defaultdict(list)
    makers: dict[Hashable, str] = {}
    for key, value in side.values.items():
        group = _group(key, players[key], "agent" if by == "agent" else "model")
        of_models[group].append(value)
        makers[group] = players[key].maker
    if by != "maker":
        return {group: Mean(fmean(values), len(values)) for group, values in of_models.items()}
    of_makers: dict[Hashable, list[float]] = defaultdict(list)
    for group, values in of_models.items():
        if makers[group]:
            of_makers[makers[group]].append(fmean(values))
    own = {player.maker for player in players.values()}
    direct: dict[Hashable, Mean] = {maker: Mean(value, 1) for maker, value in side.makers.items() if maker in own}
    return {maker: Mean(fmean(values), len(values)) for maker, values in of_makers.items()} | direct


def _group(key: Hashable, player: Player, by: str) -> Hashable:
    return {"agent": key, "model": player.model, "maker": player.maker}[by]


def _id(player: Player) -> int | None:
    return player.key if isinstance(player.key, int) else None


def _relation(points: Sequence[Point], by: str, bounded: bool) -> Association | str:
    if len(points) < FEWEST_POINTS:
        return f"A correlation needs at least {FEWEST_POINTS} {by}s with both measures; there are {len(points)}."
    relation = association([point.x.value for point in points], [point.y.value for point in points], bounded=bounded)
    return relation.replace("models", f"{by}s") if isinstance(relation, str) else relation


def sentences(relation: Relation) -> list[str]:
    """The answer in words. It names no cause."""
    lines = [line for series in relation.series if series.points for line in _of_series(relation, series)]
    if not lines:
        return [f"No {relation.by} has both measures under these filters."]
    return [
        *lines,
        "A correlation does not show a cause. p is for this pair alone: of twenty unrelated pairs, about one has p below "
        f"{LEVEL:g} by chance.",
    ]


def _of_series(relation: Relation, series: Series) -> Iterable[str]:
    start = f"{series.label}, {counted(len(series.points), f'{relation.by},{relation.by}s')}"
    result = series.relation
    if isinstance(result, str):
        yield f"{start}: {result}"
    else:
        low_high = f" (95 % interval {_r(result.interval[0])} to {_r(result.interval[1])})" if result.interval else ""
        yield (
            f"{start}: r = {_r(result.r)}{low_high}, R² {result.line.r_squared:.2f}, {p_text(result.p)}. "
            f"{_verdict(relation, result)} {result.without}".strip()
        )
    if series.unknown:
        yield f"{counted(series.unknown, 'agent is,agents are')} left out, because the catalog does not know their maker."


def _verdict(relation: Relation, result: Association) -> str:
    if result.p >= LEVEL:
        return "No sign of an association."
    if result.interval is not None and result.interval[0] <= 0 <= result.interval[1]:
        return "A weak sign of an association: the interval, which is more cautious than the test, still contains 0."
    direction = "higher" if result.r > 0 else "lower"
    return f"A higher value of “{relation.x.title}” goes with a {direction} value of “{relation.y.title}”."


def _r(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")
