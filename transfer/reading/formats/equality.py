"""Efficiency versus equality: the released code draws task sizes of at least 1, the published runs allowed 0."""

from pathlib import PurePosixPath

from environments.equality.instance import PERIODS, WAGE
from environments.generation import GENERATORS
from transfer.reading.formats.base import Format, agree, insist, made
from transfer.reading.logs import Game
from transfer.reading.tables import Cells

TOTAL_SIZE = 1800


class Equality(Format):
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

    def game(self, cells: Cells, folder: PurePosixPath) -> Game:
        if cells.whole("num_periods") != PERIODS:
            raise cells.refuse(f"num_periods must be {PERIODS}: how tasks are drawn depends on it")
        gap = cells.number("worker_productivity_gap")
        insist(cells, worker_wage=WAGE, max_worker_productivity_gap=gap)
        settings = {"workers": cells.whole("num_workers", 5), "productivity_gap": gap, "total_size": TOTAL_SIZE}
        sizes = cells.literal("task_id_to_task_size", dict)
        drawn = [made(cells, "efficiency_vs_equality", settings, generator) for generator in GENERATORS]
        ours = next((one for one in drawn if agree(one.hidden["task_sizes"], sizes)), drawn[0])
        insist(
            cells,
            task_id_to_task_size=ours.hidden["task_sizes"],
            worker_id_to_productivities=ours.hidden["productivities"],
        )
        return self.told(cells, ours, PERIODS)
