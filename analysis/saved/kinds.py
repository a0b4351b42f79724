"""The kinds of saved answers, one entry of `KINDS` each, and their filters as JSON.

Stored JSON is read through the form of the page, so it is validated like a query string.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.http import QueryDict

from accounts.models import Organization
from analysis.answers import ANSWERS
from analysis.answers.base import Answer, AnswerContent
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


Content = AnyLeaderboard | AnswerContent


@dataclass(frozen=True)
class SavedKind:
    """One kind of saved answer.

    label: in lists
    arrange: returns the table of a leaderboard, from the data of the answer, the filter and the links; None for others
    titles: returns the titles by name of the figures that can be shared alone, from the filter; None for those of the answer
    build_page: returns the table, and the charts and small tables beside it; None if there are none
    """

    answer: Answer
    label: str
    arrange: Callable[[Any, Any, LeaderboardLinks], AnyLeaderboard] | None = None
    titles: Callable[[Any], Mapping[str, str]] | None = None
    build_page: Callable[[Organization, Any, LeaderboardLinks], tuple[LitmusLeaderboard, LitmusPage]] | None = None

    @property
    def is_leaderboard(self) -> bool:
        return self.arrange is not None

    @property
    def form_title(self) -> str:
        """The heading of the form that saves an answer of this kind."""
        return "Save a leaderboard" if self.is_leaderboard else f"Save “{self.label}”"

    def figure_titles(self, run_filter: LeaderboardFilter) -> Mapping[str, str]:
        """The titles by name of the figures that can be shared alone."""
        return self.titles(run_filter) if self.titles else self.answer.figure_titles

    def build_content(
        self, organization: Organization, run_filter: LeaderboardFilter, links: LeaderboardLinks
    ) -> Content:
        """The table of a leaderboard, or the sentences, figures and public tables of another answer."""
        data = self.answer.read(organization, run_filter)
        if self.arrange:
            return self.arrange(data, run_filter, links)
        return self.answer.content(data, self.answer.public, links.figure)

    def build(
        self, organization: Organization, run_filter: LeaderboardFilter, links: LeaderboardLinks
    ) -> tuple[Content, LitmusPage | None]:
        """The content of a page and, for litmus tests, the charts and small tables beside it."""
        if self.build_page:
            return self.build_page(organization, run_filter, links)
        return self.build_content(organization, run_filter, links), None


def strip_titles(table_filter: TableFilter) -> dict[str, str]:
    """A title for the strip plot of each environment, by figure name, such as 'strip.pricing'."""
    return {f"strip.{name}": f"{environment_title(name)}, each dot is one run" for name in table_filter.environments}


KINDS: dict[str, SavedKind] = {
    LeaderboardKind.BENCHMARK: SavedKind(
        LEADERBOARD, LeaderboardKind.BENCHMARK.label, benchmark.build_leaderboard, strip_titles
    ),
    LeaderboardKind.LITMUS: SavedKind(
        LITMUS, LeaderboardKind.LITMUS.label, litmus.build_leaderboard, build_page=litmus_page
    ),
    **{answer.name: SavedKind(answer, answer.title) for answer in ANSWERS.values() if answer.public},
}
"""Kinds of saved answers by `Leaderboard.kind`."""

CHOICES = [(name, kind.label) for name, kind in KINDS.items()]

VIEW = ("sort", "chart", "test", "agent", "seed")
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
    run_filter = FilterForm(KINDS[kind].answer.filter_class, data, agents, lengths, *extra_choices).to_filter()
    assert isinstance(run_filter, LeaderboardFilter)
    return run_filter
