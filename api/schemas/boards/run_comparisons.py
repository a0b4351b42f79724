from collections.abc import Sequence
from typing import Any

from analysis.run_comparison.sentences import Parting, answer, cautions, parted
from api.schemas.base import Out
from api.schemas.runs import RunOut
from runs.models import Run


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
