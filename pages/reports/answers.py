"""The contents of the reports of answers."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet

from accounts.models import Organization
from analysis.answers.base import Answer, titled
from analysis.answers.comparison import COMPARE
from analysis.base.benchmark_filters import TableFilter
from analysis.base.litmus_filters import LitmusFilter
from analysis.base.selectors import styles_of_agents
from analysis.benchmark.runs import benchmark_runs
from analysis.comparing.comparison import MOST_AGENTS, Comparison
from analysis.comparing.selectors import comparisons_of
from analysis.comparing.sentences import method
from analysis.figures import dots
from analysis.hidden import hidden_runs
from analysis.litmus.runs import litmus_runs
from infrastructure.figures import colours
from infrastructure.text.formats import counted
from pages.reports.parts import COMPARING, RUN, Figure, Report, ReportSection, facts, scores_of, statistics, versions
from pages.reports.runs import about_runs, cost, states
from runs.models import Run
from runs.selectors.cells import environment_title

MOST_FIGURES = 12
"""The most comparisons with a chart. Four agents in three environments have 18 comparisons."""


def answer_report(answer: Answer, organization: Organization, run_filter: Any, made_by: str) -> Report:
    """The report of an answer: its sentences, figures, and the tables of its data. Lists of runs are left out."""
    if run_filter.OF_NAMED_AGENTS:
        return comparison_report(organization, run_filter, made_by)
    data, hidden = answer.read(organization, run_filter), answer.hidden(organization, run_filter)
    chosen = ", ".join(run_filter.describe())
    figures = [
        Figure(title, answer.figures[name].draw(organization, run_filter, RUN))
        for name, title in answer.figure_titles.items()
    ]
    return Report(
        title=answer.title,
        facts=[("Question", answer.question), *([("Chosen", chosen)] if chosen else []), *facts(made_by)],
        answers=[*answer.sentences(data), *([hidden.sentence] if hidden and hidden.total else [])],
        sections=[
            ReportSection("Figures", figures=[figure for figure in figures if figure.figure["data"]]),
            ReportSection("Tables", tables=[titled(answer.table_of(name, data)) for name in answer.own_tables]),
            ReportSection("Versions", tables=[versions()]),
        ],
    )


def comparison_report(organization: Organization, run_filter: TableFilter | LitmusFilter, made_by: str) -> Report:
    """The report of a comparison of the two or more agents that the filter chooses."""
    comparisons = comparisons_of(organization=organization, run_filter=run_filter)
    hidden = hidden_runs(organization=organization, run_filter=run_filter)
    runs = _runs(organization, run_filter)
    environments = list(dict.fromkeys(comparison.environment for comparison in comparisons))
    names = list(
        dict.fromkeys(
            name for comparison in comparisons for name in (comparison.agents.first, comparison.agents.second)
        )
    )
    return Report(
        title=f"Comparison of {', '.join(names)}" if names else "Comparison",
        facts=[
            ("Chosen", ", ".join(run_filter.describe())),
            ("Runs", states(runs)),
            ("Cost", cost(runs)),
            *facts(made_by),
        ],
        answers=[
            *(
                COMPARE.sentences(comparisons)
                or ["No instance that fits the filters was finished by two of these agents."]
            ),
            *([hidden.sentence] if hidden.total else []),
        ],
        sections=[
            comparison_section(comparisons, styles_of_agents(organization=organization)),
            ReportSection("Methods", methods=[statistics(COMPARING), scores_of(environments)]),
            *about_runs(runs),
            ReportSection("Versions", tables=[versions()]),
        ],
    )


def _runs(organization: Organization, run_filter: TableFilter | LitmusFilter) -> QuerySet[Run]:
    runs = (
        benchmark_runs(organization=organization, table_filter=run_filter)
        if isinstance(run_filter, TableFilter)
        else litmus_runs(organization=organization, litmus_filter=run_filter)
    )
    return runs.filter(agent__slug__in=run_filter.agents[:MOST_AGENTS])


def comparison_section(comparisons: Sequence[Comparison], styles: Mapping[int, colours.AgentStyle]) -> ReportSection:
    with_pairs = [comparison for comparison in comparisons if comparison.pairs]
    figures = [
        Figure(
            f"{environment_title(comparison.environment)}: {comparison.title}",
            dots.dumbbell_figure(comparison, styles, RUN),
            f"{counted(len(comparison.pairs), 'instance,instances')} finished by both; {method(comparison.paired)}.",
        )
        for comparison in with_pairs[:MOST_FIGURES]
    ]
    left_out = f"The first {MOST_FIGURES} of {len(with_pairs)} comparisons are drawn."
    sentences = [left_out] if len(with_pairs) > MOST_FIGURES else []
    tables = [COMPARE.table_of(name, comparisons) for name in COMPARE.tables] if with_pairs else []
    return ReportSection("Comparisons", sentences, figures, list(map(titled, tables)))
