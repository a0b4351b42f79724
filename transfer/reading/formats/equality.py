"""Efficiency versus equality: the released code draws task sizes of at least 1, the published runs allowed 0."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from environments.equality.instance import PERIODS, WAGE
from environments.generation import GENERATORS
from transfer.reading.formats.matching import insist, made, prompt, same
from transfer.reading.logs import Format, Game, Step
from transfer.reading.tables import Cells

VARIANTS = {
    f"{name}{ending}": (name, reasoning)
    for name in ("main", "efficiency", "equality")
    for ending, reasoning in (("", False), ("_reasoning", True))
}
TOTAL_SIZE = 1800


def _game(cells: Cells, folder: PurePosixPath) -> Game:
    if cells.whole("num_periods") != PERIODS:
        raise cells.refuse("num_periods", f"must be {PERIODS}: how tasks are drawn depends on it")
    insist(cells, "worker_wage", WAGE, cells.number("worker_wage"))
    gap = cells.number("worker_productivity_gap")
    insist(cells, "max_worker_productivity_gap", gap, cells.number("max_worker_productivity_gap"))
    settings = {"workers": cells.whole("num_workers", 5), "productivity_gap": gap, "total_size": TOTAL_SIZE}
    sizes = cells.literal("task_id_to_task_size", dict)
    drawn = [made(cells, "efficiency_vs_equality", settings, generator) for generator in GENERATORS]
    ours = next((one for one in drawn if same(one.hidden["task_sizes"], sizes)), drawn[0])
    insist(cells, "task_id_to_task_size", ours.hidden["task_sizes"], sizes)
    productivities = cells.literal("worker_id_to_productivities", dict)
    insist(cells, "worker_id_to_productivities", ours.hidden["productivities"], productivities)
    variant, reasoning = prompt(cells, "prompt_type", VARIANTS)
    return Game(ours, variant, reasoning, PERIODS, cells.text("model")[:200])


def _step(cells: Cells, game: Game, chosen: Mapping[str, float]) -> Step:
    recorded = {
        "revenue": cells.number("company_revenue"),
        "pay": cells.literal("worker_pay", dict),
        "total_pay": cells.literal("cumulative_worker_pay", dict),
        "inequality": cells.number("worker_inequality"),
    }
    return Step(cells.literal("alloc", dict), recorded, cells.place("alloc"))


FORMAT = Format(
    environment="efficiency_vs_equality",
    marks=("task_id_to_task_size", "worker_id_to_productivities", "num_workers", "seed", "model"),
    period="period_num",
    action="alloc",
    needed=("worker_pay", "cumulative_worker_pay", "company_revenue", "worker_inequality"),
    evidence="pay",
    game=_game,
    step=_step,
)
