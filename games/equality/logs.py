"""Log format of efficiency versus equality. Task sizes are at least 1 in the released code; published runs allowed 0."""

from pathlib import PurePosixPath

from environments.equality.instance import PERIODS, WAGE
from environments.generation import GENERATORS
from games.logs.cells import Cells
from games.logs.format import Format, LoggedGame, agree, check_parameters, logged_instance

TOTAL_SIZE = 1800


class EqualityFormat(Format):
    marks = ("task_id_to_task_size", "worker_id_to_productivities", "num_workers", "seed", "model")
    period = "period_num"
    action = "alloc"
    results = {
        "revenue": ("company_revenue", float),
        "pay": ("worker_pay", dict),
        "total_pay": ("cumulative_worker_pay", dict),
        "inequality": ("worker_inequality", float),
    }
    evidence = "pay"
    prompts = {
        f"{name}{ending}": (name, reasoning)
        for name in ("main", "efficiency", "equality")
        for ending, reasoning in (("", False), ("_reasoning", True))
    }

    def game(self, cells: Cells, folder: PurePosixPath) -> LoggedGame:
        if cells.whole("num_periods") != PERIODS:
            raise cells.refuse(f"num_periods must be {PERIODS}: how tasks are drawn depends on it")
        gap = cells.number("worker_productivity_gap")
        check_parameters(cells, worker_wage=WAGE, max_worker_productivity_gap=gap)
        settings = {"workers": cells.whole("num_workers", 5), "productivity_gap": gap, "total_size": TOTAL_SIZE}
        sizes = cells.literal("task_id_to_task_size", dict)
        instances = [logged_instance(cells, "efficiency_vs_equality", settings, generator) for generator in GENERATORS]
        ours = next(
            (candidate for candidate in instances if agree(candidate.hidden["task_sizes"], sizes)), instances[0]
        )
        check_parameters(
            cells,
            task_id_to_task_size=ours.hidden["task_sizes"],
            worker_id_to_productivities=ours.hidden["productivities"],
        )
        return self.game_on_instance(cells, ours, PERIODS)
