"""Collusiveness versus competitiveness: model, prompt and length stand in no parameter, only in rows and folder names."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Any

from environments.collusion.environment import BOTH_SEATS
from environments.collusion.environment import PERIODS as MOST
from environments.registry import GENERATION
from runs.importing.formats.matching import insist, made, same
from runs.importing.logs import Format, Game, Step
from runs.importing.tables import Cells

LENGTH = re.compile(r"__(\d{1,4})__[12]agent__")
SEED_TOLERANCE = 1e-3
"""The published prices come from a numerical optimiser."""


def _game(cells: Cells, folder: PurePosixPath) -> Game:
    qualities, costs = cells.literal("a", list), cells.literal("c", list)
    if not 1 <= len(qualities) <= 2:
        raise cells.refuse("a", "must name one seller or two")
    settings = dict(GENERATION["collusiveness_vs_competitiveness"].difficulties["STANDARD"])
    ours = made(cells, "collusiveness_vs_competitiveness", settings)
    insist(cells, "a", [settings["quality"]] * len(qualities), qualities)
    insist(cells, "c", [settings["cost"]] * len(qualities), costs)
    for name, setting in (("mu", "mu"), ("multiplier", "market_size"), ("a0", "outside_quality")):
        insist(cells, name, settings[setting], cells.number(name))
    insist(cells, "alpha", ours.hidden["alpha"], cells.number("alpha"))
    insist(cells, "sigma", 0, cells.number("sigma"))
    alone = len(qualities) == 1
    facts = {}
    best = ours.reference["single_agent_price" if alone else "collusive_price"]
    for name, own in (("monopoly_price", best), ("nash_price", None if alone else ours.reference["nash_price"])):
        recorded = cells.number(name)
        if own is not None and not same(own, recorded, SEED_TOLERANCE):
            facts[name.replace("_", " ").capitalize()] = f"{recorded:g} in the log, {own:.6g} here"
    length = LENGTH.search(f"{folder.name}")
    periods = min(MOST, int(length[1])) if length and int(length[1]) else MOST
    reasoning = "_v1_reasoning__" in str(folder)
    return Game(ours, "single_agent" if alone else "main", reasoning, periods, "", facts)


def _step(cells: Cells, game: Game, chosen: list[dict[str, Any]]) -> Step:
    seats = BOTH_SEATS[:1] if game.variant == "single_agent" else BOTH_SEATS
    by_seat = {}
    for name in ("prices", "quantities", "profits"):
        values = cells.literal(name, list)
        if len(values) != len(seats):
            raise cells.refuse(name, f"must have {len(seats)} values")
        by_seat[name] = dict(zip(seats, values, strict=True))
    return Step(by_seat.pop("prices"), by_seat, cells.place("prices"))


FORMAT = Format(
    environment="collusiveness_vs_competitiveness",
    marks=("monopoly_price", "nash_price", "alpha", "a", "c", "seed"),
    period="period",
    action="prices",
    needed=("quantities", "profits"),
    game=_game,
    step=_step,
)
