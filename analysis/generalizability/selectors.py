"""The values of measures: of the organization's agents, aggregated in the database, and of published models."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from statistics import fmean

from django.http import Http404
from django.shortcuts import get_object_or_404

from accounts.models import Organization
from analysis.base import published
from analysis.base.benchmark_filters import TableFilter
from analysis.base.litmus_filters import LitmusFilter
from analysis.base.selectors import run_records
from analysis.base.table import Kind, RunRecord
from analysis.behaviour.means import years
from analysis.behaviour.published import published_means
from analysis.behaviour.selectors import instance_runs, litmus_filter, own_means
from analysis.generalizability.measures import OUTSIDE, Measure, Source, measures, published_notes
from analysis.generalizability.players import Player
from analysis.litmus.runs import SCORING, litmus_rows, litmus_runs
from analysis.models import OutsideColumn
from environments.registry import LITMUS_TESTS, score_format
from games.registry import parts_of
from runs.catalog import maker_url
from runs.list_prices import ListPrice, list_price


@dataclass(frozen=True)
class Values:
    """The values of a measure: by the agent's id, by the published model's name, and by the maker's name.

    Only outside columns can have values of makers.
    """

    own: Mapping[int, float] = field(default_factory=dict)
    paper: Mapping[str, float] = field(default_factory=dict)
    makers: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Scope:
    """What a reader needs. paper: the published models; empty if the filter leaves them out"""

    organization: Organization
    table_filter: TableFilter
    own: Mapping[int, Player]
    paper: Mapping[str, Player]


def outside_columns(*, organization: Organization) -> list[OutsideColumn]:
    """All outside columns of the organization, by name. One query."""
    return list(OutsideColumn.objects.filter(organization=organization).select_related("created_by"))


def outside_column_or_404(*, organization: Organization, column_id: int) -> OutsideColumn:
    return get_object_or_404(OutsideColumn, organization=organization, pk=column_id)


def measure_of(column: OutsideColumn) -> Measure:
    return Measure(f"{OUTSIDE}.{column.pk}", column.name, column.unit, Source.OUTSIDE, bounded=False)


def measure_and_values(key: str, scope: Scope) -> tuple[Measure, Values]:
    """The measure with this key, and its values. Up to four queries. Raises Http404 for an unknown key."""
    if measure := measures().get(key):
        return measure, READERS[measure.source](measure, scope)
    number = key.removeprefix(f"{OUTSIDE}.")
    if not number.isdecimal():
        raise Http404("There is no such measure.")
    column = outside_column_or_404(organization=scope.organization, column_id=int(number))
    return measure_of(column), _outside(column, scope)


def _score(measure: Measure, scope: Scope) -> Values:
    environment, difficulty = measure.parts
    means = own_means(instance_runs(scope.organization, _narrowed(measure, scope)), ())
    paper = {
        score.llm: 100 * score.summary.mean
        for score in published.benchmark_scores()
        if (score.environment, score.difficulty) == (environment, difficulty) and score.summary.mean is not None
    }
    return _values(scope, {mean.agent_id: mean.score for mean in means}, paper, scope.table_filter.fits_published)


def _metric(measure: Measure, scope: Scope) -> Values:
    environment, difficulty, key = measure.parts
    metric = next(metric for metric in parts_of(environment).metrics if metric.key == key)
    own = own_means(instance_runs(scope.organization, _narrowed(measure, scope), (metric,)), (metric,))
    paper = {
        mean.name: mean.measured[key].percent
        for mean in published_means(environment)
        if mean.difficulty == difficulty and key in mean.measured
    }
    means = {mean.agent_id: mean.measured[key].percent for mean in own if key in mean.measured}
    return _values(scope, means, paper, scope.table_filter.fits_published)


def _narrowed(measure: Measure, scope: Scope) -> TableFilter:
    environment, difficulty, *_ = measure.parts
    return scope.table_filter.with_values(environments=(environment,), difficulties=(difficulty,))


def _litmus(measure: Measure, scope: Scope) -> Values:
    test, part = measure.parts
    of_tests = litmus_filter(scope.table_filter)
    records = _records(scope, of_tests, test, SCORING)
    factor = score_format(test).factor if part == "litmus" else 1
    own: dict[int | None, float | None] = {}
    paper: dict[str, float | None] = {}
    for row in litmus_rows(records, of_tests):
        scores = row.scores[LITMUS_TESTS.index(test)]
        value = scores.value(part) if scores and not row.is_market else None
        scaled = None if value is None else factor * value
        if row.kind == Kind.PUBLISHED:
            paper[row.name] = scaled
        else:
            own[row.agent_id] = scaled
    return _values(scope, own, paper, of_tests.shows_published)


def _litmus_metric(measure: Measure, scope: Scope) -> Values:
    """Means over the finished runs under the main prompt. Papers print none."""
    test, key = measure.parts
    shares: dict[int, list[float]] = defaultdict(list)
    for run in _records(scope, litmus_filter(scope.table_filter), test, (key,)):
        if run.base == "main" and run.is_scored and run.metrics.get(key) is not None:
            shares[run.agent_id].append(float(run.metrics[key]))
    return _values(scope, {agent: 100 * fmean(values) for agent, values in shares.items()}, {})


def _records(scope: Scope, of_tests: LitmusFilter, test: str, metrics: Iterable[str]) -> list[RunRecord]:
    runs = litmus_runs(organization=scope.organization, litmus_filter=of_tests)
    return run_records(runs.filter(instance__environment=test), metrics)


def _values(
    scope: Scope, own: Mapping[int | None, float | None], paper: Mapping[str, float | None], fits: bool = True
) -> Values:
    """The values of the players in scope. fits: whether published values have the filter's conditions"""
    return Values(
        {key: own[key] for key in scope.own if own.get(key) is not None},  # type: ignore[misc]
        {name: paper[name] for name in scope.paper if fits and paper.get(name) is not None},  # type: ignore[misc]
    )


def _of_players(scope: Scope, value: Callable[[Player], float | None]) -> Values:
    return _values(
        scope,
        {key: value(player) for key, player in scope.own.items()},
        {name: value(player) for name, player in scope.paper.items()},
    )


def _release(measure: Measure, scope: Scope) -> Values:
    """Years, such as 2025.5 for the middle of 2025."""
    return _of_players(scope, lambda player: 1970 + years(player.released) if player.released else None)


def _price(measure: Measure, scope: Scope) -> Values:
    """The price of an agent is its own, that of a published model the list price of today."""

    def price(player: Player) -> float | None:
        if player.kind != Kind.PUBLISHED:
            value = player.prices[0 if measure.parts == ("input",) else 1]
        elif listed := _listed(player):
            value = listed.prices.base.input if measure.parts == ("input",) else listed.prices.base.output
        else:
            value = None
        return None if value is None else float(value)

    return _of_players(scope, price)


def _context(measure: Measure, scope: Scope) -> Values:
    return _of_players(scope, lambda player: float(row.context) if (row := _listed(player)) and row.context else None)


def _listed(player: Player) -> ListPrice | None:
    """The list price of a player's model; None if no list has it."""
    if player.kind == Kind.PUBLISHED:
        return _list_price(player.provider, maker_url(player.provider), player.aliases[0])
    return _list_price(player.provider, player.address, player.model) if player.provider else None


@cache
def _list_price(provider: str, address: str, model: str) -> ListPrice | None:
    return list_price(provider, address, model)


def _notes(measure: Measure, scope: Scope) -> Values:
    return _values(scope, {}, published_notes(measure.key))


def _outside(column: OutsideColumn, scope: Scope) -> Values:
    """Each player has the value of the first of its names that the column has."""
    by_name = {name.casefold(): float(value) for name, value in column.values.items()}

    def value(player: Player) -> float | None:
        return next((by_name[name] for name in player.names_in_order if name in by_name), None)

    makers = {player.maker for player in (*scope.own.values(), *scope.paper.values())}
    of_players = _of_players(scope, value)
    of_makers = {maker: by_name[maker.casefold()] for maker in makers if maker.casefold() in by_name}
    return Values(of_players.own, of_players.paper, of_makers)


def unmatched(column: OutsideColumn, players: Iterable[Player]) -> list[str]:
    """The names of a column that are not those of an agent, a published model or a maker."""
    names = {name for player in players for name in (*player.names_in_order, player.maker.casefold())}
    return [name for name in column.values if name.casefold() not in names]


READERS: dict[Source, Callable[[Measure, Scope], Values]] = {
    Source.SCORE: _score,
    Source.METRIC: _metric,
    Source.LITMUS: _litmus,
    Source.LITMUS_METRIC: _litmus_metric,
    Source.RELEASE: _release,
    Source.PRICE: _price,
    Source.CONTEXT: _context,
    Source.NOTES: _notes,
}
