"""The kinds of leaderboards, one entry of `LEADERBOARD_TYPES` each, and their filters as JSON.

Stored JSON is read through the form of the page, so it is validated like a query string.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.http import QueryDict

from accounts.models import Organization
from analysis.answers.base import Answer
from analysis.answers.leaderboard import LEADERBOARD
from analysis.answers.litmus import LITMUS
from analysis.base.benchmark_filters import TableFilter, environment_title
from analysis.base.filters import LeaderboardFilter
from analysis.base.leaderboard import LeaderboardLinks
from analysis.base.table import LeaderboardKind
from analysis.benchmark import leaderboard as benchmark
from analysis.benchmark.leaderboard import BenchmarkLeaderboard
from analysis.forms import FilterForm, as_query, designs_in, prompts_in
from analysis.litmus import leaderboard as litmus
from analysis.litmus.leaderboard import LitmusLeaderboard
from analysis.litmus.page import LitmusPage
from analysis.litmus.runs import litmus_page

AnyLeaderboard = BenchmarkLeaderboard | LitmusLeaderboard


@dataclass(frozen=True)
class LeaderboardType:
    """One kind of leaderboard.

    arrange: returns the table of a page, from the data of the answer, the filter and the links
    figure_titles: returns the titles by name of the figures that can be shared alone, from the filter
    build_page: returns the table, and the charts and small tables beside it; None if there are none
    """

    answer: Answer
    arrange: Callable[[Any, Any, LeaderboardLinks], AnyLeaderboard]
    figure_titles: Callable[[Any], Mapping[str, str]]
    build_page: Callable[[Organization, Any, LeaderboardLinks], tuple[LitmusLeaderboard, LitmusPage]] | None = None

    def build_table(
        self, organization: Organization, run_filter: LeaderboardFilter, links: LeaderboardLinks
    ) -> AnyLeaderboard:
        return self.arrange(self.answer.read(organization, run_filter), run_filter, links)

    def build(
        self, organization: Organization, run_filter: LeaderboardFilter, links: LeaderboardLinks
    ) -> tuple[AnyLeaderboard, LitmusPage | None]:
        """The table of a page and, for litmus tests, the charts and small tables beside it."""
        if self.build_page:
            return self.build_page(organization, run_filter, links)
        return self.build_table(organization, run_filter, links), None


def strip_titles(table_filter: TableFilter) -> dict[str, str]:
    """A title for the strip plot of each environment, by figure name, such as 'strip.pricing'."""
    return {f"strip.{name}": f"{environment_title(name)}, each dot is one run" for name in table_filter.environments}


LEADERBOARD_TYPES: dict[str, LeaderboardType] = {
    LeaderboardKind.BENCHMARK: LeaderboardType(LEADERBOARD, benchmark.build_leaderboard, strip_titles),
    LeaderboardKind.LITMUS: LeaderboardType(
        LITMUS,
        litmus.build_leaderboard,
        lambda litmus_filter: {name: figure.title for name, figure in LITMUS.figures.items()},
        litmus_page,
    ),
}
"""Kinds of leaderboards by value of `LeaderboardKind`."""


def type_of(run_filter: LeaderboardFilter) -> LeaderboardType:
    return LEADERBOARD_TYPES[run_filter.kind]


VIEW = ("sort", "chart", "agent", "seed")
"""Fields that a reader of the page may change. Of these, only the sort order is stored with the leaderboard."""


def to_json(run_filter: LeaderboardFilter) -> dict[str, Any]:
    """The filter as JSON, with every value.

    Defaults are included, since they may change but a saved leaderboard may not.
    """
    values = {name: value for name, value in run_filter if name not in VIEW[1:]}
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
    run_filter = FilterForm(
        LEADERBOARD_TYPES[kind].answer.filter_class, data, agents, lengths, *extra_choices
    ).to_filter()
    assert isinstance(run_filter, LeaderboardFilter)
    return run_filter
