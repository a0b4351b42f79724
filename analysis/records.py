"""The plain record that tables and figures are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

FINISHED = "finished"


@dataclass(frozen=True)
class RunRecord:
    """One run.

    score: a share. Of a litmus test it is the litmus score under the main prompt, else the competency
    rival_id: another agent in the second seat of a market; None if the agent plays alone or against itself
    metrics: only the metrics that the table or figure needs
    """

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
    solved: bool | None = None
    is_imported: bool = False
    variant: str = "main"
    rival_id: int | None = None
    rival_name: str = ""
    metrics: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_scored(self) -> bool:
        """Only finished runs have a score that counts."""
        return self.state == FINISHED and self.score is not None

    @property
    def player(self) -> str:
        """The agent, or both agents of a market of two."""
        return f"{self.agent_name} against {self.rival_name}" if self.rival_id is not None else self.agent_name
