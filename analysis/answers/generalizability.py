"""Does one measure of agents go with another?"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Annotated, Any, ClassVar, NamedTuple

from django.http import QueryDict
from pydantic import Field

from accounts.models import Organization
from analysis.answers.base import Answer, AnswerFigure, AnswerTable, RunLink
from analysis.base.benchmark_filters import TableFilter
from analysis.base.filters import FilterPhrase, LeaderboardFilter, Rows
from analysis.base.selectors import styles_of_agents
from analysis.base.table import Kind
from analysis.behaviour.selectors import litmus_filter
from analysis.generalizability.figure import relation_figure
from analysis.generalizability.measures import BENCHMARK_SOURCES, LITMUS_SOURCES, OUTSIDE, Source, content, measures
from analysis.generalizability.players import Player, own_players, published_players
from analysis.generalizability.relation import BY, OWN, PUBLISHED, Relation, Side, sentences, series_of
from analysis.generalizability.selectors import Scope, measure_and_values, measure_of, outside_columns
from analysis.models import OutsideColumn
from environments.registry import LITMUS_TESTS
from infrastructure.declared import Choices
from infrastructure.figures.theme import PlotlyFigure
from infrastructure.schemas import Plain
from infrastructure.text.formats import lowfirst
from infrastructure.text.tables import Column, Table, typed

MeasureKey = Annotated[Plain, Choices()]
ABOUT = (
    f"A score such as `ENVIRONMENT.HARD`, a metric such as `ENVIRONMENT.HARD.METRIC`, `TEST.litmus`, `TEST.competency`, "
    f"`TEST.reliability`, {', '.join(f'`{key}`' for key in measures() if '.' not in key)}, or `outside.NUMBER`."
)


class GeneralizabilityFilter(TableFilter):
    """Two measures, what a point is, and the filters of the runs. The measures name environments and difficulties."""

    kind: ClassVar[str] = "measures"
    PAGE: ClassVar[str] = "analysis:generalizability"
    KINDS: ClassVar[tuple[str, ...]] = tuple(kind for kind in Kind if kind != Kind.BASELINE)
    TAKES_DESIGNS: ClassVar[bool] = False
    CHIPS: ClassVar[tuple[str, ...]] = ("x", "y", "by", "rows")
    MORE: ClassVar[tuple[str, ...]] = ("released_until", *TableFilter.MORE)

    x: Annotated[MeasureKey, Field(title="Horizontal axis", max_length=200, description=ABOUT)] = "released"
    y: Annotated[MeasureKey, Field(title="Vertical axis", max_length=200, description="As `x`.")] = (
        f"{LITMUS_TESTS[0]}.reliability"
    )
    by: Annotated[Plain, Choices(BY), Field(title="Points", description="What a point is.")] = "model"
    released_until: Annotated[
        date | None, Field(title="Released until", description="Only models released until this day.")
    ] = None
    rows: Rows = (Kind.OWN, Kind.PUBLISHED)

    @classmethod
    def choices(cls, **options: Any) -> dict[str, list[tuple[Any, str]]]:
        pairs: list[tuple[Any, str]] = [(key, measure.heading) for key, measure in measures().items()]
        return super().choices(**options) | {"x": pairs, "y": pairs}

    @classmethod
    def choices_of(cls, organization: Organization) -> dict[str, list[tuple[Any, str]]]:
        columns = map(measure_of, outside_columns(organization=organization))
        pairs: list[tuple[Any, str]] = [(column.key, f"Outside: {column.heading}") for column in columns]
        return {"x": pairs, "y": pairs}

    @property
    def sources(self) -> set[Source]:
        return {measures()[key].source if key in measures() else Source.OUTSIDE for key in (self.x, self.y)}

    @property
    def is_of_runs(self) -> bool:
        """Whether a measure comes from runs, which are then of the chosen kinds."""
        return bool(self.sources & {*BENCHMARK_SOURCES, *LITMUS_SOURCES})

    @property
    def reported(self) -> LeaderboardFilter:
        """If no measure is one of benchmarks, the filter of the litmus tests with the shared values."""
        return litmus_filter(self) if self.is_of_runs and not self.sources & {*BENCHMARK_SOURCES} else self

    def takes(self, player: Player) -> bool:
        """Whether a player may be among the points."""
        is_in_time = self.released_until is None or (player.released or date.max) <= self.released_until
        return is_in_time and (player.kind in self.rows or (self.is_of_runs and player.kind != Kind.PUBLISHED))

    def phrases(self) -> list[FilterPhrase]:
        x, y = (measures()[key].title if key in measures() else f"column {key}" for key in (self.x, self.y))
        own: list[FilterPhrase] = [(f"{y} against {lowfirst(x)}", ("x", "y")), (BY[self.by].lower(), ("by",))]
        if self.released_until:
            own.append((f"released until {self.released_until:%-d %b %Y}", ("released_until",)))
        return [*own, *(phrase for phrase in super().phrases() if phrase[1][0] not in ("environments", "difficulties"))]


def relation_of(*, organization: Organization, run_filter: GeneralizabilityFilter) -> Relation:
    """Set the two measures of the filter against each other. One query for the agents, and those of the measures."""
    own, paper = own_players(organization, run_filter.agents), published_players()
    scope = Scope(
        organization,
        run_filter,
        {key: player for key, player in own.items() if run_filter.takes(player)},
        {name: player for name, player in paper.items() if run_filter.takes(player)},
    )
    (x, of_x), (y, of_y) = (measure_and_values(key, scope) for key in (run_filter.x, run_filter.y))
    options: dict[str, Any] = {"by": run_filter.by, "bounded": x.bounded and y.bounded}
    series = (
        series_of(OWN, scope.own, Side(of_x.own, of_x.makers), Side(of_y.own, of_y.makers), **options),
        series_of(PUBLISHED, scope.paper, Side(of_x.paper, of_x.makers), Side(of_y.paper, of_y.makers), **options),
    )
    sources = {PUBLISHED if kind == Kind.PUBLISHED else OWN for kind in run_filter.rows}
    return Relation(x, y, run_filter.by, tuple(each for each in series if each.source in sources))


def _correlations(relation: Relation) -> Iterator[tuple[object, ...]]:
    for each in relation.series:
        source, points, result = each.source, len(each.points), each.relation
        keys = (source, relation.by, relation.x.key, relation.y.key, points)
        if isinstance(result, str):
            yield (*keys, *(None,) * 7, result)
        else:
            ends = result.interval or (None, None)
            yield (*keys, result.r, *ends, result.line.r_squared, result.p, result.line.slope, result.exact,
                   result.without or None)  # fmt: skip


def _points(relation: Relation) -> Iterator[tuple[object, ...]]:
    for each in relation.series:
        for point in each.points:
            yield each.source, point.name, point.x.value, point.y.value, point.x.n, point.y.n


def _headed(relation: Relation) -> Table:
    """The points under the titles of the measures."""
    heads = [
        Column(name, measure.title, measure.unit, digits=measure.digits, value_type=float)
        for name, measure in (("x", relation.x), ("y", relation.y))
    ]
    rows = [(source, name, x, y) for source, name, x, y, *_ in _points(relation)]
    return Table("Points", [Column("source"), Column(relation.by), *heads], rows)


def _figure(organization: Organization, run_filter: GeneralizabilityFilter, link: RunLink) -> PlotlyFigure:
    styles = styles_of_agents(organization=organization)
    return relation_figure(relation_of(organization=organization, run_filter=run_filter), styles)


def _context(organization: Organization, run_filter: GeneralizabilityFilter, query: QueryDict) -> dict[str, Any]:
    relation = relation_of(organization=organization, run_filter=run_filter)
    columns = outside_columns(organization=organization)
    return {
        "data": relation,
        "sentences": sentences(relation),
        "points": _headed(relation),
        "columns": columns,
        "pairs": [_pair(pair, columns, run_filter) for pair in content()["pairs"]],
    }


class Pair(NamedTuple):
    """One of the papers' pairs.

    section: where they show it; printed: what they print of it, empty if nothing
    query: of the page; None if it needs an outside column
    """

    section: str
    title: str
    query: str | None
    is_current: bool
    printed: str


def _pair(pair: Mapping[str, str], columns: Sequence[OutsideColumn], run_filter: GeneralizabilityFilter) -> Pair:
    """The pair with the sources of the page. One with an outside column takes the first column."""
    fields: dict[str, Any] = {key: value for key, value in pair.items() if key not in ("section", "title", "printed")}
    if last := fields.get("released_until"):
        fields["released_until"] = date.fromisoformat(last)
    if pair["y"] == OUTSIDE and not columns:
        return Pair(pair["section"], pair["title"], None, False, "")
    if pair["y"] == OUTSIDE:
        fields["y"] = measure_of(columns[0]).key
    of_pair = GeneralizabilityFilter(**fields, rows=run_filter.rows)
    return Pair(pair["section"], pair["title"], of_pair.query(), of_pair == run_filter, pair.get("printed", ""))


CORRELATIONS = "correlations"
GENERALIZABILITY = Answer(
    name="generalizability",
    title="Generalizability",
    question="Does one measure of agents, models or makers go with another?",
    filter_class=GeneralizabilityFilter,
    read=lambda owner, run_filter: relation_of(organization=owner, run_filter=run_filter),
    sentences=sentences,
    template="analysis/generalizability.html",
    context=_context,
    tables={
        CORRELATIONS: AnswerTable(
            "the correlation of the two measures, a row for each source",
            "Correlations",
            [
                *typed(str, "source", "by", "x", "y"),
                Column("points", value_type=int),
                Column("r", "r", value_type=float, description="Pearson's correlation."),
                Column("r_low", "r, low", value_type=float, description="Lower end of the 95 % interval of r."),
                Column("r_high", "r, high", value_type=float, description="Upper end of the 95 % interval of r."),
                Column("r_squared", "R²", value_type=float),
                Column("p", "p", digits=3, value_type=float, description="Two-sided p of the permutation test of r."),
                Column("slope", value_type=float, description="Units of y for each unit of x, by least squares."),
                Column("exact", value_type=bool, description="Whether the test tried all orders of the points."),
                Column("note", description="Why there is no correlation or no interval."),
            ],
            _correlations,
        ),
        "points": AnswerTable(
            "the agents, models or makers with both measures",
            "Points",
            [
                *typed(str, "source", "name"),
                *typed(float, "x", "y"),
                Column("x_mean_of", value_type=int, description="Number of agents or models that x is the mean of."),
                Column("y_mean_of", value_type=int, description="Number of agents or models that y is the mean of."),
            ],
            _points,
            arranged=_headed,
        ),
    },
    figures={
        "relation": AnswerFigure(
            "one measure against the other",
            _figure,
            file="figure",
            anchor="correlation-of-two-measures",
        )
    },
)
