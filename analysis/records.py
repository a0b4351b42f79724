"""The plain records that tables and figures are made of."""

from __future__ import annotations

from dataclasses import dataclass

FINISHED = "finished"


@dataclass(frozen=True)
class RunRecord:
    """One run, as tables and figures see it. `score` is a share; only finished runs have one that counts."""

    run_id: int
    agent_id: int
    agent_slug: str
    agent_name: str
    is_baseline: bool
    environment: str
    difficulty: str
    instance_id: int
    seed: int
    state: str
    score: float | None
    solved: bool | None
    is_imported: bool = False

    @property
    def is_scored(self) -> bool:
        return self.state == FINISHED and self.score is not None
