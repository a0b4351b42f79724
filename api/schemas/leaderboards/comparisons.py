from collections.abc import Iterable, Sequence
from typing import Any

from analysis.base.hidden import Hidden
from analysis.base.matching import Match
from analysis.comparing.comparison import Comparison
from analysis.comparing.sentences import sentence
from analysis.run_comparison.sentences import Parting, answer, cautions, parted
from api.schemas.base import Out
from api.schemas.leaderboards.hidden import HiddenOut
from api.schemas.runs import RunOut
from runs.models import Run


class MatchOut(Out):
    """One instance. A score is null if the agent has no finished run of the instance."""

    difficulty: str
    seed: int
    first_score: float | None
    """Points of 100."""
    second_score: float | None
    """Points of 100."""
    difference: float | None
    """The second score minus the first, in points of 100; null if one is missing."""

    @staticmethod
    def values(match: Match) -> dict[str, Any]:
        return MatchOut.from_row(
            match,
            first_score=match.first and match.first.score,
            second_score=match.second and match.second.score,
            difference=match.difference if match.is_pair else None,
        )


class EffectOut(Out):
    """A mean difference in standard deviations, with Hedges' correction and 95 % intervals."""

    of_differences: float
    """In standard deviations of the differences (d_z)."""
    interval: list[float]
    """95 % interval of `of_differences`, in these standard deviations."""
    of_scores: float | None
    """In standard deviations of the scores of one agent (d_av); null if they do not vary."""
    scores_interval: list[float] | None
    """95 % interval of `of_scores`, in these standard deviations."""


class ExtremeOut(Out):
    difference: float
    """The mean of the second agent's score minus the first's, in points of 100."""
    p: float
    """Two-sided p of the sign-flip test, unadjusted."""


class ComparisonOut(Out):
    """Two agents in one environment, over the instances that both finished, in points of 100."""

    environment: str
    first: str
    second: str
    """Names of the agents, in the order of the request."""
    sentence: str
    """The answer in words."""
    n: int
    """Number of instances that both agents finished."""
    difference: float | None
    """The mean of the second agent's score minus the first's, in points of 100."""
    interval: list[float] | None
    """95 % interval of the mean difference, in points of 100: the values that the sign-flip test does not reject. Null
    below six instances."""
    p: float | None
    """Two-sided p of the sign-flip test."""
    exact: bool
    """Whether the sign-flip test tried every combination of signs, and not only a sample."""
    adjusted_p: float | None
    """p by Holm's method over all comparisons of the answer."""
    wilcoxon_p: float | None
    """Two-sided p of the signed-rank test; null for fewer than six differences other than zero."""
    detectable: float | None
    """The mean difference in points of 100 that this number of instances detects with 80 % power."""
    effect: EffectOut | None
    """Null for fewer than six instances, and for differences of which all but one are equal."""
    missing: int
    """Number of instances of which an agent's run ended without a score (stalled, errored, cancelled) and none has one.
    They are only in `worst` and `best`."""
    worst: ExtremeOut | None
    """The comparison if the second agent's missing scores are at their worst and the first's at their best; null if none
    is missing."""
    best: ExtremeOut | None
    """The reverse of `worst`."""
    depends_on_missing: bool
    """Whether `worst` or `best` has another verdict, after Holm's method."""
    added: int
    """Number of instances launched after others had finished. The test does not correct for such a look at the data."""
    instances: list[MatchOut]
    """All instances. No statistic uses an instance that only one of the agents finished."""

    @staticmethod
    def values(comparison: Comparison, hidden: int) -> dict[str, Any]:
        return ComparisonOut.from_row(
            comparison,
            comparison.paired,
            first=comparison.agents.first,
            second=comparison.agents.second,
            sentence=sentence(comparison, hidden),
            effect=EffectOut.from_row(comparison.effect) if comparison.effect else None,
            **_extremes(comparison),
            instances=[MatchOut.values(match) for match in comparison.matches],
        )


def _extremes(comparison: Comparison) -> dict[str, Any]:
    extremes = comparison.extremes
    if extremes is None:
        return {"missing": 0, "worst": None, "best": None}
    worst, best = (dict(zip(ExtremeOut.model_fields, pair, strict=True)) for pair in (extremes.worst, extremes.best))
    return {"missing": extremes.instances, "worst": worst, "best": best}


class ComparisonsOut(Out):
    comparisons: list[ComparisonOut]
    hidden: HiddenOut

    @staticmethod
    def values(comparisons: Iterable[Comparison], hidden: Hidden) -> dict[str, Any]:
        return {
            "comparisons": [ComparisonOut.values(comparison, hidden.total) for comparison in comparisons],
            "hidden": HiddenOut.values(hidden),
        }


class RunComparisonOut(Out):
    """A comparison of runs of one instance; `/runs/{id}/periods` has the actions of each run."""

    instance: int
    sentences: list[str]
    """The answer in words: which run scored highest, where the runs first differ, and cautions for the reader."""
    first_parted: int | None
    """The first period in which the runs' actions differ; null if there is none."""
    parted: list[int]
    """All periods in which the runs' actions differ."""
    compared: int
    """Number of periods that at least two of the runs played."""
    runs: list[RunOut]

    @staticmethod
    def values(runs: Sequence[Run], parting: Parting) -> dict[str, Any]:
        return RunComparisonOut.from_row(
            parting,
            instance=runs[0].instance_id,
            sentences=[answer(runs), parted(parting), *cautions(runs)],
            first_parted=parting.first,
            runs=[RunOut.values(run) for run in runs],
        )
