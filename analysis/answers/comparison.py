"""Do agents differ, instance by instance?"""

import math
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict

from accounts.models import Organization
from analysis.answers.base import Answer, AnswerFigure, AnswerTable, RunLink
from analysis.base.benchmark_filters import DIFFICULTIES, CompareFilter, TableFilter, environment_title
from analysis.base.litmus_filters import CompareLitmusFilter
from analysis.base.selectors import styles_of_agents
from analysis.comparing.comparison import MOST_AGENTS, Comparison, comparison_by_key
from analysis.comparing.selectors import comparisons_of, staged_comparisons_of
from analysis.comparing.sentences import sentence
from analysis.figures import dots
from environments.base import PERIODS
from infrastructure.figures.theme import PlotlyFigure, empty_figure
from infrastructure.text.tables import Column, typed
from stats.designs.sequential import sensible_sizes

POINTS = "points"


def _numbers(comparisons: Iterable[Comparison]) -> Iterator[tuple[object, ...]]:
    for comparison in comparisons:
        paired = comparison.paired
        yield (
            comparison.environment, comparison.agents.first, comparison.agents.second,
            paired.n, paired.difference, *(paired.interval or (None, None)),
            paired.p, comparison.adjusted_p, paired.wilcoxon_p, paired.detectable, comparison.added,
            *_effect(comparison), *_extremes(comparison),
        )  # fmt: skip


def _effect(comparison: Comparison) -> tuple[object, ...]:
    effect = comparison.effect
    if effect is None:
        return (None,) * 6
    ends = effect.scores_interval or (None, None)
    return effect.of_differences, *effect.interval, effect.of_scores, *ends


def _extremes(comparison: Comparison) -> tuple[object, ...]:
    extremes = comparison.extremes
    if extremes is None:
        return 0, None, None, None, None, False
    return extremes.instances, *extremes.worst, *extremes.best, comparison.depends_on_missing


def _instances(comparisons: Iterable[Comparison]) -> Iterator[tuple[object, ...]]:
    """A score is None if that agent has no finished run."""
    for comparison in comparisons:
        for match in comparison.matches:
            yield (
                comparison.environment, comparison.agents.first, comparison.agents.second, match.difficulty, match.seed,
                match.first and match.first.score, match.second and match.second.score,
                match.difference if match.is_pair else None,
            )  # fmt: skip


def _sentences(comparisons: Iterable[Comparison]) -> list[str]:
    return [
        f"{environment_title(comparison.environment)}: {sentence(comparison)}"
        for comparison in comparisons
        if comparison.pairs
    ]


def comparison_figure(
    organization: Organization, run_filter: CompareFilter | CompareLitmusFilter, link: RunLink, key: str = ""
) -> PlotlyFigure:
    """The scores of two agents by instance. key: of the comparison; the first one with a pair if there is no such"""
    comparison = comparison_by_key(comparisons_of(organization=organization, run_filter=run_filter), key)
    if comparison is None:
        return empty_figure(dots.NO_PAIRS)
    return dots.dumbbell_figure(comparison, styles_of_agents(organization=organization), link)


def _context(organization: Organization, run_filter: Any, query: QueryDict) -> dict[str, Any]:
    comparisons = comparisons_of(organization=organization, run_filter=run_filter)
    with_pairs = [comparison for comparison in comparisons if comparison.pairs]
    is_benchmark = isinstance(run_filter, CompareFilter)
    return {
        "figure": f"analysis:figure-{'' if is_benchmark else 'litmus-'}comparison",
        "comparisons": comparisons,
        "has_missing": any(comparison.extremes for comparison in comparisons),
        "answered": [(comparison, _launch_query(comparison, run_filter)) for comparison in with_pairs or comparisons],
        "shown": comparison_by_key(comparisons, query.get("shown", "")),
        "most": MOST_AGENTS,
        "staged": staged_comparisons_of(organization=organization, comparisons=comparisons) if is_benchmark else [],
    }


LEAST_SEEDS = 12
"""The least number of seeds in the suggested launch for an undecided comparison."""


def _launch_query(comparison: Comparison, run_filter: Any) -> str:
    """The query string of a staged launch on new seeds, for an undecided benchmark comparison of two agents; else empty.

    The launch has as many seeds for each difficulty as the comparison has on average, but at least LEAST_SEEDS. The new
    seeds are a comparison of their own, since adding them to seeds with visible results would be exploratory.
    """
    if comparison.is_decided or not isinstance(run_filter, TableFilter) or len(run_filter.agents) != 2:
        return ""
    seeds = [match.seed for match in comparison.matches]
    cells = list(dict.fromkeys(match.difficulty for match in comparison.matches))
    if not set(cells) <= set(DIFFICULTIES) or run_filter.generator != "published":
        return ""
    first, number = max(seeds) + 1, max(LEAST_SEEDS, math.ceil(len(seeds) / len(cells)))
    query = {
        "environment": comparison.environment,
        "difficulty": cells,
        "agent": run_filter.agents,
        "variant": run_filter.variant,
        "periods": "" if run_filter.periods == PERIODS else run_filter.periods,
        "seeds": f"{first}-{first + number - 1}",
        "stages": ", ".join(map(str, sensible_sizes(number, len(cells)))),
    }
    return urlencode(query, doseq=True)


NUMBERS = [
    *typed(str, "environment", "first", "second"),
    Column("instances", value_type=int),
    Column("difference", unit=POINTS, digits=1, value_type=float),
    Column("low", "95 % interval from", POINTS, digits=1, value_type=float),
    Column("high", "to", POINTS, digits=1, value_type=float),
    Column("p", "p", digits=3, value_type=float, description="Two-sided p of the sign-flip test."),
    Column(
        "p_holm",
        "p, Holm",
        digits=3,
        value_type=float,
        description="p by Holm's method over all comparisons of the answer.",
    ),
    Column("p_wilcoxon", "p, Wilcoxon", digits=3, value_type=float),
    Column(
        "detectable",
        unit=POINTS,
        digits=1,
        value_type=float,
        description="The mean difference that this number of instances detects with 80 % power.",
    ),
    Column("added", "launched after a look", value_type=int),
    *(
        Column(name, title, "standard deviations", value_type=float, description=description)
        for name, title, description in (
            ("effect", "effect of the differences", "The mean difference in standard deviations of the differences."),
            ("effect_low", "95 % interval from", ""),
            ("effect_high", "to", ""),
            ("effect_scores", "effect of the scores", "The mean difference in standard deviations of the scores."),
            ("effect_scores_low", "95 % interval from", ""),
            ("effect_scores_high", "to", ""),
        )
    ),
    Column(
        "missing",
        "instances with missing scores",
        value_type=int,
        description="Instances of which an agent's run ended without a score and none has one.",
    ),
    *(
        column
        for name, case in (("worst", "second at worst, first at best"), ("best", "second at best, first at worst"))
        for column in (
            Column(f"{name}_difference", f"difference, {case}", POINTS, digits=1, value_type=float),
            Column(f"{name}_p", f"p, {case}", digits=3, value_type=float),
        )
    ),
    Column("depends_on_missing", "verdict depends on missing scores", value_type=bool),
]
INSTANCES = [
    *typed(str, "environment", "first", "second", "difficulty"),
    Column("seed", value_type=int),
    *(Column(name, unit=POINTS, digits=1, value_type=float) for name in ("first_score", "second_score", "difference")),
]


def _answer(prefix: str, **parts: Any) -> Answer:
    """An answer whose tables have this prefix."""
    return Answer(
        read=lambda owner, run_filter: comparisons_of(organization=owner, run_filter=run_filter),
        sentences=_sentences,
        template="analysis/compare.html",
        public=(f"{prefix}comparisons", f"{prefix}instances"),
        context=_context,
        tables={
            f"{prefix}comparisons": AnswerTable(
                "differences of every two of the named agents",
                "Differences of the second agent from the first",
                NUMBERS,
                _numbers,
                file="numbers",
            ),
            f"{prefix}instances": AnswerTable(
                "scores of every two of the named agents by instance",
                "Scores by instance",
                INSTANCES,
                _instances,
                file="pairs",
            ),
        },
        figures={
            f"{prefix}comparison": AnswerFigure(
                "two agents by instance, the first two that finished one in common",
                comparison_figure,
                key="shown",
                file="figure",
            )
        },
        **parts,
    )


COMPARE = _answer(
    "",
    name="compare",
    title="Compare agents",
    question="Do agents differ on the benchmarks, instance by instance?",
    filter_class=CompareFilter,
)
COMPARE_LITMUS = _answer(
    "litmus-",
    name="compare-litmus",
    title="Compare litmus scores",
    question="Do agents differ in their litmus scores, instance by instance?",
    filter_class=CompareLitmusFilter,
    route="compare/litmus/",
)
