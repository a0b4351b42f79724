"""The kinds of leaderboards, one entry of `LEADERBOARD_TYPES` each, and their filters as JSON.

Stored JSON is read through the form of the page, so it is validated like a query string.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from datetime import date
from functools import partial
from typing import Any

from django.http import QueryDict

from accounts.models import Organization
from analysis.base.filters import LeaderboardFilter, LitmusFilter, TableFilter
from analysis.base.leaderboard import LeaderboardLinks
from analysis.base.selectors import played_agents, played_lengths, played_prompts
from analysis.benchmark import leaderboard as benchmark
from analysis.benchmark.leaderboard import BenchmarkLeaderboard
from analysis.forms import BenchmarkForm, FilterForm, LitmusForm, designs_in, prompts_in
from analysis.leaderboard_figures import BENCHMARK_FIGURES, LITMUS_FIGURES, LITMUS_TITLES, DrawFigure, strip_titles
from analysis.leaderboards import SCORING, litmus_rows, records_of, table_of
from analysis.litmus import leaderboard as litmus
from analysis.litmus import page
from analysis.litmus.leaderboard import LitmusLeaderboard
from analysis.litmus.page import LitmusPage, page_of
from analysis.models import LeaderboardKind
from runs.selectors.designs import played_designs

AnyLeaderboard = BenchmarkLeaderboard | LitmusLeaderboard


@dataclass(frozen=True)
class LeaderboardType:
    """One kind of leaderboard.

    build: returns the table and, for litmus tests, the charts and small tables beside it
    build_table: returns the table alone
    figures, figure_titles: the figures by name
    """

    form: type[FilterForm[Any]]
    build: Callable[[Organization, Any, LeaderboardLinks], tuple[AnyLeaderboard, LitmusPage | None]]
    build_table: Callable[[Organization, Any, LeaderboardLinks], AnyLeaderboard]
    figures: Mapping[str, DrawFigure]
    figure_titles: Callable[[Any], dict[str, str]]


def _benchmark_leaderboard(
    organization: Organization, table_filter: TableFilter, links: LeaderboardLinks
) -> BenchmarkLeaderboard:
    """The benchmark table arranged for a page. Takes as many queries as `table_of`."""
    return benchmark.build_leaderboard(
        table_of(organization=organization, table_filter=table_filter), table_filter, links
    )


def _litmus_page(
    organization: Organization, litmus_filter: LitmusFilter, links: LeaderboardLinks
) -> tuple[LitmusLeaderboard, LitmusPage]:
    """The litmus table arranged for a page, and the charts and small tables beside it.

    Takes as many queries as two calls of `records_of`.
    """
    read = partial(records_of, organization=organization, litmus_filter=litmus_filter)
    records = read(metrics=(*SCORING, *page.PARETO))
    patience = read(metrics=(*page.NAMES, *page.CURVES), chart="names")
    rows = litmus_rows(records, litmus_filter)
    return litmus.build_leaderboard(rows, litmus_filter, links), page_of(rows, records, patience, litmus_filter, links)


LEADERBOARD_TYPES: dict[str, LeaderboardType] = {
    LeaderboardKind.BENCHMARK: LeaderboardType(
        form=BenchmarkForm,
        build=lambda organization, table_filter, links: (
            _benchmark_leaderboard(organization, table_filter, links),
            None,
        ),
        build_table=_benchmark_leaderboard,
        figures=BENCHMARK_FIGURES,
        figure_titles=strip_titles,
    ),
    LeaderboardKind.LITMUS: LeaderboardType(
        form=LitmusForm,
        build=_litmus_page,
        build_table=lambda organization, litmus_filter, links: litmus.build_leaderboard(
            litmus_rows(records_of(organization=organization, litmus_filter=litmus_filter), litmus_filter),
            litmus_filter,
            links,
        ),
        figures=LITMUS_FIGURES,
        figure_titles=lambda litmus_filter: LITMUS_TITLES,
    ),
}
"""Kinds of leaderboards by value of `LeaderboardKind`."""


def type_of(run_filter: LeaderboardFilter) -> LeaderboardType:
    return LEADERBOARD_TYPES[run_filter.kind]


def filter_form(
    organization: Organization,
    form: type[FilterForm[Any]],
    data: QueryDict,
    stored: Mapping[str, Any] | None = None,
) -> FilterForm[Any]:
    """The form with the organization's agents and run lengths.

    Values that a leaderboard has stored stay valid choices.
    """
    stored = stored or {}
    agents = dict(played_agents(organization=organization))
    agents |= {slug: slug for slug in stored.get("agents", ()) if slug not in agents}
    lengths = played_lengths(organization=organization) if "periods" in form.base_fields else []
    lengths += [stored["periods"]] if "periods" in stored else []
    designs = played_designs(organization=organization, environments=form.design_environments)
    prompts = played_prompts(organization=organization, environments=form.plays)
    return form(
        data,
        agents.items(),
        lengths,
        dict.fromkeys([*designs, *designs_in(stored)]),
        dict.fromkeys([*prompts, *prompts_in(stored)]),
    )


VIEW = ("sort", "chart", "agent", "seed")
"""Fields that a reader of the page may change. Of these, only the sort order is stored with the leaderboard."""


def to_json(run_filter: LeaderboardFilter) -> dict[str, Any]:
    """The filter as JSON, with every value.

    Defaults are included, since they may change but a saved leaderboard may not.
    """
    values = {part.name: getattr(run_filter, part.name) for part in fields(run_filter) if part.name not in VIEW[1:]}
    plain = {
        name: list(map(str, value)) if isinstance(value, tuple) else str(value) if isinstance(value, date) else value
        for name, value in values.items()
    }
    return {name: value for name, value in plain.items() if value not in (None, "", [], 0)}


def from_json(kind: str, filters: dict[str, Any], view: QueryDict | None = None) -> LeaderboardFilter:
    """The filter of stored JSON. view: a query string, of which only the fields in VIEW count

    Stored agents, lengths, designs and own prompts are valid choices, even without a run.
    """
    data = as_query(filters)
    for name in VIEW:
        if view is not None and (value := view.get(name)):
            data.setlist(name, [value])
    agents = [(slug, slug) for slug in filters.get("agents", ())]
    lengths = [filters["periods"]] if "periods" in filters else []
    extra_choices = (designs_in(filters), prompts_in(filters))
    run_filter: LeaderboardFilter = LEADERBOARD_TYPES[kind].form(data, agents, lengths, *extra_choices).to_filter()
    return run_filter


def as_query(filters: dict[str, Any]) -> QueryDict:
    data = QueryDict(mutable=True)
    for name, value in filters.items():
        data.setlist(name, [str(entry) for entry in value] if isinstance(value, list) else [str(value)])
    return data
