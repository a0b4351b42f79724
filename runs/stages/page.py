"""What the page of an experiment shows about its comparison in stages."""

from dataclasses import dataclass
from typing import Any

from infrastructure.money import usd_or_none
from runs.launching.plan import format_seeds
from runs.models import Experiment
from runs.stages.models import StagedComparison
from runs.stages.selectors import Staged, staged_of
from runs.stages.words import StageRow, sentence, stage_rows


@dataclass(frozen=True)
class StagedPanel(Staged):
    """A comparison as pages, the API and the command line show it.

    sentence: the answer; unplayed: seeds that will not be played any more, as text
    """

    sentence: str
    rows: list[StageRow]
    unplayed: str

    @property
    def first(self) -> str:
        return self.comparison.first.name

    @property
    def second(self) -> str:
        return self.comparison.second.name

    @property
    def planned(self) -> float | None:
        return self.comparison.planned

    @property
    def may_continue(self) -> bool:
        """Whether runs wait for a later stage, so that a person may let them play without further looks."""
        return self.comparison.is_playing and not self.comparison.is_last

    def as_json(self) -> dict[str, Any]:
        """The comparison as JSON for the API and the command line. Differences are in points; unknown values are None."""
        comparison = self.comparison
        return {
            "state": comparison.state,
            "sentence": self.sentence,
            "first": comparison.first.slug,
            "second": comparison.second.slug,
            "points": comparison.planned,
            "stage": comparison.stage,
            "stages": [_stage_json(comparison, row) for row in self.rows],
            "ended_at": comparison.ended_at.isoformat() if comparison.ended_at else None,
            "saved_runs": comparison.saved_runs,
            "saved_usd": usd_or_none(comparison.saved_nano),
        }


def _stage_json(comparison: StagedComparison, row: StageRow) -> dict[str, Any]:
    look = row.look
    return {
        "stage": row.stage,
        "seeds": comparison.sizes[row.stage - 1],
        "instances": row.instances,
        "error_allowed": comparison.levels[row.stage - 1],
        "difference": look and look.difference,
        "p": look and look.p,
        "boundary": look and look.boundary,
        "conditional_power": look and look.conditional_power,
        "computed_at": look and look.computed_at.isoformat(),
    }


def staged_panel(experiment: Experiment, *, for_visitors: bool = False) -> StagedPanel | None:
    """The panel of an experiment. None for a launch without stages.

    for_visitors: leave names of members and dollars out of the sentence
    """
    staged = staged_of(experiment)
    if staged is None:
        return None
    comparison = staged.comparison
    left = comparison.seeds[comparison.sizes[comparison.stage - 1] :] if comparison.saved_runs else []
    return StagedPanel(
        **vars(staged),
        sentence=sentence(staged, for_visitors=for_visitors),
        rows=stage_rows(staged),
        unplayed=format_seeds(left),
    )
