"""The report of a comparison, and its part in the report of an experiment."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.db.models import QuerySet

from accounts.models import Organization
from analysis.base.filters import LitmusFilter, TableFilter
from analysis.base.selectors import styles_of_agents
from analysis.boards import benchmark_runs, litmus_runs
from analysis.comparing.comparison import MOST_AGENTS, Comparison, method, sentence
from analysis.comparing.selectors import comparisons_of
from analysis.exports import comparison_numbers, comparison_pairs
from analysis.figures.colours import AgentStyle
from analysis.figures.dumbbell import dumbbell_figure
from analysis.hidden import hidden_runs
from infrastructure.text.formats import counted
from infrastructure.text.tables import Table
from pages.reports.facts import facts
from pages.reports.methods import COMPARING, scores_of, statistics
from pages.reports.record import RUN, Figure, Report, ReportSection
from pages.reports.runs import about_runs, cost, states
from pages.reports.versions import versions
from runs.models import Run
from runs.selectors.cells import environment_title

MOST_FIGURES = 12
"""Comparisons with a chart each; four agents in three environments are 18 comparisons."""


def comparison_report(organization: Organization, board_filter: TableFilter | LitmusFilter, made_by: str) -> Report:
    """The agents that the filter chooses, which are two or more."""
    comparisons = comparisons_of(organization=organization, board_filter=board_filter)
    hidden = hidden_runs(organization=organization, board_filter=board_filter)
    runs = _runs(organization, board_filter)
    environments = list(dict.fromkeys(comparison.environment for comparison in comparisons))
    names = list(
        dict.fromkeys(
            name for comparison in comparisons for name in (comparison.agents.first, comparison.agents.second)
        )
    )
    return Report(
        title=f"Comparison of {', '.join(names)}" if names else "Comparison",
        facts=[
            ("Chosen", ", ".join(board_filter.describe())),
            ("Runs", states(runs)),
            ("Cost", cost(runs)),
            *facts(made_by),
        ],
        answers=[
            *(answers_of(comparisons) or ["No instance that fits the filters was finished by two of these agents."]),
            *([hidden.sentence] if hidden.total else []),
        ],
        sections=[
            comparison_section(comparisons, styles_of_agents(organization=organization)),
            ReportSection("Methods", methods=[statistics(COMPARING), scores_of(environments)]),
            *about_runs(runs),
            ReportSection("Versions", tables=[versions()]),
        ],
    )


def _runs(organization: Organization, board_filter: TableFilter | LitmusFilter) -> QuerySet[Run]:
    if isinstance(board_filter, TableFilter):
        runs = benchmark_runs(organization=organization, table_filter=board_filter)
    else:
        runs = litmus_runs(organization=organization, litmus_filter=board_filter)
    return runs.filter(agent__slug__in=board_filter.agents[:MOST_AGENTS])


def answers_of(comparisons: Sequence[Comparison]) -> list[str]:
    """The sentence of every comparison with an instance in common."""
    return [
        f"{environment_title(comparison.environment)}: {sentence(comparison)}"
        for comparison in comparisons
        if comparison.pairs
    ]


def comparison_section(comparisons: Sequence[Comparison], styles: Mapping[int, AgentStyle]) -> ReportSection:
    with_pairs = [comparison for comparison in comparisons if comparison.pairs]
    figures = [
        Figure(
            f"{environment_title(comparison.environment)}: {comparison.title}",
            dumbbell_figure(comparison, styles, RUN),
            f"{counted(len(comparison.pairs), 'instance,instances')} finished by both; {method(comparison.paired)}.",
        )
        for comparison in with_pairs[:MOST_FIGURES]
    ]
    sentences = []
    if len(with_pairs) > MOST_FIGURES:
        sentences = [f"The first {MOST_FIGURES} of {len(with_pairs)} comparisons are drawn."]
    tables = [comparison_numbers(comparisons), comparison_pairs(comparisons)] if with_pairs else []
    return ReportSection("Comparisons", sentences, figures, list(map(_titled, tables)))


def _titled(table: Table) -> Table:
    """The table with the titles of the environments, whose names are in the first column."""
    return replace(table, rows=[(environment_title(str(name)), *cells) for name, *cells in table.rows])
