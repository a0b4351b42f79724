"""The runs, records and rows of the litmus tests, by filter."""

from collections.abc import Sequence
from functools import partial, reduce
from operator import or_

from django.db.models import Q, QuerySet

from accounts.models import Organization
from analysis.base import published
from analysis.base.leaderboard import LeaderboardLinks
from analysis.base.litmus_filters import STANDARD, WHOLE, LitmusFilter, whole_lengths
from analysis.base.selectors import (
    MinorityGroups,
    fitting_runs,
    in_groups,
    minority_groups,
    run_records,
    styles_of_agents,
)
from analysis.base.table import Kind, RunRecord
from analysis.litmus import page
from analysis.litmus.leaderboard import LitmusLeaderboard, build_leaderboard
from analysis.litmus.page import LitmusPage, page_of
from analysis.litmus.table import LitmusRow, litmus_table
from environments.generation import is_design
from environments.prompts.variants import AS_RUN, OWN
from environments.registry import LITMUS_TESTS
from games.registry import LITMUS_CHARTS
from runs.models import Run

SCORING = ("reliability", "litmus_bound")
"""Metrics that the three litmus scores need besides the score of each run."""


def litmus_minorities(organization: Organization, litmus_filter: LitmusFilter) -> MinorityGroups:
    """The groups of runs that the filter leaves out for unusual conditions; none if the filter pools these."""
    if litmus_filter.mixed:
        return {}
    return minority_groups(organization, _fitting_litmus_runs(organization, litmus_filter))


def litmus_runs(*, organization: Organization, litmus_filter: LitmusFilter) -> QuerySet[Run]:
    """Runs of the litmus tests in all states, competencies included, that fit the filter.

    Runs played under unusual conditions are left out. Takes as many queries as `minority_groups`.
    """
    groups = litmus_minorities(organization, litmus_filter)
    return _fitting_litmus_runs(organization, litmus_filter).exclude(in_groups(groups))


def _fitting_litmus_runs(organization: Organization, litmus_filter: LitmusFilter) -> QuerySet[Run]:
    if litmus_filter.experiment:
        # A page about one experiment shows all its runs, imported ones too.
        litmus_filter = litmus_filter.with_values(rows=(*litmus_filter.rows, Kind.IMPORTED))
    runs = fitting_runs(organization=organization, run_filter=litmus_filter).filter(
        instance__environment__in=LITMUS_TESTS
    )
    if litmus_filter.own_prompt:
        runs = runs.filter(Q(variant=litmus_filter.variant) | Q(variant__endswith=f"{OWN}{litmus_filter.own_prompt}"))
    elif litmus_filter.variant:
        runs = runs.exclude(Q(variant=AS_RUN) | Q(variant__contains=OWN))
    if litmus_filter.experiment:
        return runs.filter(experiment=litmus_filter.experiment)
    runs = runs.filter(instance__generator=litmus_filter.generator)
    if litmus_filter.scope == WHOLE:
        as_long_as_the_papers = [
            Q(instance__environment=test, variant=litmus_filter.name_of(variant), periods__gte=periods)
            for (test, variant), periods in whole_lengths().items()
        ]
        runs = runs.filter(reduce(or_, as_long_as_the_papers), instance__difficulty=STANDARD)
    elif is_design(litmus_filter.scope):
        runs = runs.filter(instance__difficulty=litmus_filter.scope)
    return runs


def records_of(
    *, organization: Organization, litmus_filter: LitmusFilter, metrics: tuple[str, ...] = SCORING, chart: str = ""
) -> list[RunRecord]:
    """Runs of all litmus tests, or of the environment and variants that one chart shows."""
    runs = litmus_runs(organization=organization, litmus_filter=litmus_filter)
    if chart:
        test = LITMUS_CHARTS[chart][0]
        variants = [litmus_filter.name_of(variant) for of, variant in LITMUS_CHARTS.values() if of == test]
        runs = runs.filter(instance__environment=test, variant__in=variants)
    return run_records(runs, metrics, order=("agent__name", "agent_id"))


def litmus_rows(records: Sequence[RunRecord], litmus_filter: LitmusFilter) -> list[LitmusRow]:
    printed = published.litmus_scores() if litmus_filter.shows_published else ()
    return litmus_table(records, printed, litmus_filter.sort)


def litmus_page(
    organization: Organization, litmus_filter: LitmusFilter, links: LeaderboardLinks
) -> tuple[LitmusLeaderboard, LitmusPage]:
    """The litmus table arranged for a page, and the charts and small tables beside it.

    Takes as many queries as two calls of `records_of`, and one for the styles.
    """
    read = partial(records_of, organization=organization, litmus_filter=litmus_filter)
    records = read(metrics=(*SCORING, *page.PARETO))
    patience = read(metrics=(*page.NAMES, *page.CURVES), chart="names")
    rows = litmus_rows(records, litmus_filter)
    styles = styles_of_agents(organization=organization)
    content = page_of(rows, records, patience, litmus_filter, links, styles)
    return build_leaderboard(rows, litmus_filter, links), content
