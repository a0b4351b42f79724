"""Scheduling. Preferences and shown pairs come from the seed's random stream."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from environments.base import PERIODS
from transfer.reading.formats.matching import insist, made, periods, prompt
from transfer.reading.logs import Format, Game, Step
from transfer.reading.tables import Cells

VARIANTS = {"v1": ("main", False), "v1_reasoning": ("main", True)}


def _game(cells: Cells, folder: PurePosixPath) -> Game:
    if cells.text("blocking_pair_selection_method") != "random_cache":
        raise cells.refuse("blocking_pair_selection_method", "must be random_cache, as in the published runs")
    settings = {"size": cells.whole("num_workers", 200), "feedback_pairs": cells.whole("num_blocking_pairs", 50)}
    ours = made(cells, "scheduling", settings)
    insist(cells, "worker_prefs", ours.hidden["worker_preferences"], cells.literal("worker_prefs", dict))
    insist(cells, "task_prefs", ours.hidden["task_preferences"], cells.literal("task_prefs", dict))
    variant, reasoning = prompt(cells, "prompt_type", VARIANTS)
    return Game(ours, variant, reasoning, periods(cells, "num_attempts", PERIODS), cells.text("model")[:200])


def _step(cells: Cells, game: Game, chosen: Mapping[str, float]) -> Step:
    pairs = cells.literal("blocking_pairs", list)
    shown = cells.literal("blocking_pair", list) if cells.has("blocking_pair") else []
    recorded = {"blocking_pairs": len(pairs), "pairs": pairs, "feedback": shown, "stable": not pairs}
    return Step(cells.literal("matching", dict), recorded, cells.place("matching"))


FORMAT = Format(
    environment="scheduling",
    marks=("worker_prefs", "task_prefs", "num_blocking_pairs", "seed", "model"),
    period="attempt_num",
    action="matching",
    needed=("blocking_pairs", "blocking_pair"),
    evidence="pairs",
    game=_game,
    step=_step,
)
