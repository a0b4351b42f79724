"""Which agents differ in one environment, and which metrics of their runs correlate with their scores?"""

from functools import partial
from typing import Any, ClassVar

from django.http import QueryDict

from accounts.models import Organization
from analysis.answers.base import Answer, AnswerFigure, AnswerTable
from analysis.answers.figures import behaviour as figures
from analysis.base.benchmark_filters import TableFilter, environment_title
from analysis.behaviour import rows, selectors
from analysis.behaviour.means import fit_rows, metric_rows, reasoning_tests
from analysis.behaviour.metric_tests import sentence
from analysis.behaviour.pairs import answer
from analysis.behaviour.sentences import changes_sentence, fits_sentence, has_test, reasoning_sentence
from analysis.figures.behaviour import heatmaps, scatter
from games.registry import metrics_of
from infrastructure.text.tables import Column, typed


class BehaviourFilter(TableFilter):
    """`chart` is the environment of the page and of its figures."""

    PAGE: ClassVar[str] = "analysis:behaviour"
    TAKES_DESIGNS: ClassVar[bool] = False


def _context(organization: Organization, behaviour_filter: BehaviourFilter, query: QueryDict) -> dict[str, Any]:
    """Values of the page, which shows one environment."""
    ((narrowed, grid, means, tests),) = selectors.data_of(organization, figures.filter_of_chart(behaviour_filter))
    (environment,) = narrowed.environments
    difficulties, metrics = narrowed.difficulties, metrics_of(environment, narrowed.variant)
    fits, reasoning = fit_rows(means, metrics, difficulties), reasoning_tests(means, metrics, difficulties)
    return {
        "environment": environment_title(environment),
        "choices": [
            (environment_title(name), behaviour_filter.query(chart=name), name == environment)
            for name in behaviour_filter.environments
        ],
        "grid": grid,
        "heights": heatmaps.chart_heights(grid),
        "changes_sentence": changes_sentence(grid),
        "metrics": [(metric, fits_sentence(fits, metric)) for metric in metrics],
        "difficulties": difficulties,
        "rows": metric_rows(
            means, metrics, difficulties, lambda mean: figures.runs_url(narrowed, mean.slug, mean.difficulty)
        ),
        "fits": fits,
        "reasoning": reasoning if has_test(row.test for row in reasoning) else [],
        "reasoning_sentence": reasoning_sentence(reasoning) if reasoning else "",
        "metric_tests": tests,
        "metric_sentence": sentence(tests),
        "litmus_query": selectors.litmus_filter(behaviour_filter).query(),
        "chart_query": behaviour_filter.query(environments=(environment,), chart=""),
    }


def _group(name: str) -> list[Column]:
    """The mean of a group of Welch's test, and its number of values."""
    unit = "In points of 100 for scores and shares, else in the unit of the metric."
    return [Column(f"{name}_mean", digits=1, value_type=float, description=unit), Column(f"{name}_n", value_type=int)]


P = partial(Column, digits=3, value_type=float)
WELCH = [
    Column("t", "t", value_type=float),
    Column("degrees", "degrees of freedom", digits=1, value_type=float),
    *(P("p", "p"), P("p_holm", "p, Holm")),
    Column("note", description="Why there is no test."),
]
METRIC = "metric"
BEHAVIOUR = Answer(
    name="behaviour",
    former="mechanisms",
    title="Behaviour",
    question="Which agents differ, and which metrics of their runs correlate with their scores?",
    filter_class=BehaviourFilter,
    read=selectors.data_of,
    sentences=lambda environments: [
        f"{environment_title(each.name)}: {answer(each.grid)} {sentence(each.metric_tests)}".rstrip()
        for each in environments
    ],
    template="analysis/behaviour.html",
    public=("pairs", "difficulties", "reasoning", "metric-tests", "lines", "metrics"),
    context=_context,
    tables={
        "pairs": AnswerTable(
            "tests of every two agents",
            "Tests of every two agents",
            [
                Column("environment"),
                Column("difficulty", description="The difficulty; `all` if difficulties are pooled."),
                *typed(str, "first", "second"),
                Column("instances", value_type=int, description="Number of instances that both agents finished."),
                Column("ties", value_type=int, description="Number of equal scores, which the test omits."),
                Column(
                    "difference",
                    unit="points",
                    digits=1,
                    value_type=float,
                    description="The mean of the first agent's score minus the second's.",
                ),
                Column("rank_biserial", value_type=float, description="Rank-biserial correlation, from -1 to 1."),
                P(
                    "p",
                    "p",
                    description="Two-sided p of Wilcoxon's signed-rank test; null for fewer than six differences.",
                ),
                P("p_holm", "p, Holm", description="p by Holm's method over the pairs of a difficulty."),
                Column("stars"),
                Column(
                    "significant_difficulties",
                    value_type=int,
                    description="Number of difficulties on which the test is significant at the 5 % level.",
                ),
                Column(
                    "in_majority_direction",
                    value_type=int,
                    description="Number of significant tests that have the majority's direction.",
                ),
            ],
            rows.pairs,
            file="tests",
        ),
        "difficulties": AnswerTable(
            "tests of each agent's easiest against its hardest difficulty",
            "Easiest against hardest difficulty",
            [
                *typed(str, "environment", "agent"),
                *(*_group("first"), *_group("second")),
                *WELCH,
            ],
            rows.changes,
            file="changes",
        ),
        "reasoning": AnswerTable(
            "tests of reasoning models against other models",
            "Reasoning models against other models",
            [
                *typed(str, "environment", "metric", "difficulty"),
                *(*_group("others"), *_group("reasoning")),
                *WELCH,
            ],
            rows.reasoning,
        ),
        "metric-tests": AnswerTable(
            "tests of every two agents in a metric of their runs",
            "Tests of every two agents in a metric",
            [
                *typed(str, "environment", "metric", "difficulty", "first", "second"),
                *(*_group("first"), *_group("second")),
                *WELCH,
            ],
            rows.metric_tests,
        ),
        "lines": AnswerTable(
            "least-squares lines with one point for each model, the mean of its agents",
            "Lines through models",
            [
                *typed(str, "environment", "metric"),
                Column("of", description="Unit of the slope."),
                *(Column("difficulty"), Column("slope", value_type=float)),
                Column("r_squared", "R²", value_type=float),
                P("p", "p"),
                Column("models", value_type=int),
                Column("note", description="Why there is no line."),
            ],
            rows.lines,
        ),
        "metrics": AnswerTable(
            "mean metrics of runs beside mean scores",
            "Metrics of runs and scores",
            [
                *typed(str, "environment", "difficulty", "metric", "agent", "row"),
                Column("reasoning", value_type=bool),
                Column("released", description="Day of the release, such as 2026-01-31."),
                Column("metric_percent", "metric", "%", digits=1, value_type=float),
                Column("metric_runs", value_type=int),
                Column("score", unit="points", digits=1, value_type=float),
                Column("runs", value_type=int),
            ],
            rows.metrics,
        ),
        "litmus-scores": AnswerTable(
            "finished runs of the litmus tests under the filters of the benchmarks",
            "Litmus scores of single runs",
            [
                Column("run", value_type=int),
                *typed(str, "agent", "test"),
                Column("seed", value_type=int),
                Column("litmus", value_type=float),
            ],
            rows.litmus_runs,
            read=lambda owner, table_filter: selectors.litmus_records(organization=owner, table_filter=table_filter),
            file="runs",
        ),
    },
    figures={
        "pairs": AnswerFigure("tests of every two agents", figures.pairs),
        "difficulties": AnswerFigure("these tests by difficulty", figures.difficulties),
        "metric": AnswerFigure(
            "scores over a metric", figures.metric(scatter.score_figure), key=METRIC, needs_key=True
        ),
        "releases": AnswerFigure(
            "a metric by release date", figures.metric(scatter.release_figure), key=METRIC, needs_key=True
        ),
        "litmus-scores": AnswerFigure("litmus scores of single runs", figures.litmus, file="litmus"),
    },
)
