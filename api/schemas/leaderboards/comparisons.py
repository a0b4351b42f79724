from collections.abc import Iterable, Sequence
from typing import Any

from analysis.comparing.comparison import Comparison, sentence
from analysis.comparing.matching import Match
from analysis.hidden import Hidden
from analysis.run_comparison.sentences import Parting, answer, cautions, parted
from api.schemas.base import Out
from api.schemas.leaderboards.hidden import HiddenOut
from api.schemas.runs import RunOut
from runs.models import Run


class MatchOut(Out):
    """One instance; a score is null where that agent has no finished run on it."""

    difficulty: str
    seed: int
    first_score: float | None
    second_score: float | None
    difference: float | None

    @staticmethod
    def values(match: Match) -> dict[str, Any]:
        return MatchOut.from_row(
            match,
            first_score=match.first and match.first.score,
            second_score=match.second and match.second.score,
            difference=match.difference if match.is_pair else None,
        )


class ComparisonOut(Out):
    """Two agents in one environment, over the instances that both finished, in points of 100."""

    environment: str
    first: str
    second: str
    """Names of the agents, in the order in which they were asked for."""
    sentence: str
    """The answer in words."""
    n: int
    """Instances that both finished."""
    difference: float | None
    """The mean of the second agent's score minus the first's."""
    interval: list[float] | None
    """95 % interval of the mean difference: what the sign-flip test does not reject; null below six instances."""
    p: float | None
    """Two-sided, of the sign-flip test."""
    exact: bool
    """Whether every flip of signs was tried."""
    adjusted_p: float | None
    """p by Holm's method over all comparisons of the answer."""
    wilcoxon_p: float | None
    """Two-sided, of the signed-rank test; null for fewer than six differences other than zero."""
    detectable: float | None
    """The mean difference that this many instances show with 80 % power."""
    added: int
    """Instances that were launched when others had finished. The test does not allow for such a look."""
    instances: list[MatchOut]
    """Those that only one of the agents finished are in no number."""

    @staticmethod
    def values(comparison: Comparison, hidden: int) -> dict[str, Any]:
        return ComparisonOut.from_row(
            comparison,
            comparison.paired,
            first=comparison.agents.first,
            second=comparison.agents.second,
            sentence=sentence(comparison, hidden),
            instances=[MatchOut.values(match) for match in comparison.matches],
        )


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
    """Runs of one instance beside each other; `/runs/{id}/periods` has what each did."""

    instance: int
    sentences: list[str]
    """The answer in words: who scored highest, where the runs first part, and what a reader must know besides."""
    first_parted: int | None
    """The first period in which not all of them played the same; null where there is none."""
    parted: list[int]
    """All such periods."""
    compared: int
    """How many periods at least two of them played."""
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
