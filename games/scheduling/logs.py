"""Log format of scheduling. Preferences and shown blocking pairs come from the seed's random stream."""

from collections.abc import Mapping
from pathlib import PurePosixPath

from games.logs.cells import Cells
from games.logs.format import Format, LoggedGame, Step, check_parameters, logged_instance, periods


class SchedulingFormat(Format):
    marks = ("worker_prefs", "task_prefs", "num_blocking_pairs", "seed", "model")
    action = "matching"
    results = {"pairs": ("blocking_pairs", list), "feedback": ("blocking_pair", list)}
    evidence = "pairs"

    def game(self, cells: Cells, folder: PurePosixPath) -> LoggedGame:
        if cells.text("blocking_pair_selection_method") != "random_cache":
            raise cells.refuse("blocking_pair_selection_method must be random_cache, as in the published runs")
        settings = {"size": cells.whole("num_workers", 200), "feedback_pairs": cells.whole("num_blocking_pairs", 50)}
        ours = logged_instance(cells, "scheduling", settings)
        check_parameters(
            cells, worker_prefs=ours.hidden["worker_preferences"], task_prefs=ours.hidden["task_preferences"]
        )
        return self.game_on_instance(cells, ours, periods(cells))

    def step(self, cells: Cells, game: LoggedGame, offered_prices: Mapping[str, float]) -> Step:
        pairs = cells.literal("blocking_pairs", list)
        feedback_pair = cells.literal("blocking_pair", list) if cells.has("blocking_pair") else []
        recorded = {"blocking_pairs": len(pairs), "pairs": pairs, "feedback": feedback_pair, "stable": not pairs}
        return Step(cells.literal("matching", dict), recorded, cells.location("matching"))
