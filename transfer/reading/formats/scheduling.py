"""Scheduling. Preferences and shown pairs come from the seed's random stream."""

from collections.abc import Mapping
from pathlib import PurePosixPath

from transfer.reading.formats.base import Format, insist, made, periods
from transfer.reading.logs import Game, Step
from transfer.reading.tables import Cells


class Scheduling(Format):
    marks = ("worker_prefs", "task_prefs", "num_blocking_pairs", "seed", "model")
    action = "matching"
    results = {"pairs": ("blocking_pairs", list), "feedback": ("blocking_pair", list)}
    evidence = "pairs"

    def game(self, cells: Cells, folder: PurePosixPath) -> Game:
        if cells.text("blocking_pair_selection_method") != "random_cache":
            raise cells.refuse("blocking_pair_selection_method must be random_cache, as in the published runs")
        settings = {"size": cells.whole("num_workers", 200), "feedback_pairs": cells.whole("num_blocking_pairs", 50)}
        ours = made(cells, "scheduling", settings)
        insist(cells, worker_prefs=ours.hidden["worker_preferences"], task_prefs=ours.hidden["task_preferences"])
        return self.told(cells, ours, periods(cells))

    def step(self, cells: Cells, game: Game, chosen: Mapping[str, float]) -> Step:
        pairs = cells.literal("blocking_pairs", list)
        shown = cells.literal("blocking_pair", list) if cells.has("blocking_pair") else []
        recorded = {"blocking_pairs": len(pairs), "pairs": pairs, "feedback": shown, "stable": not pairs}
        return Step(cells.literal("matching", dict), recorded, cells.place("matching"))
