"""Collusiveness versus competitiveness. Model, prompt and length are in rows and folder names only, not in the parameters."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePosixPath

import numpy as np

from environments.collusion.economics import TOLERANCE, litmus
from environments.collusion.environment import BOTH_SEATS, CONVERGENCE_PERIODS, SCORED_PERIODS
from environments.collusion.environment import PERIODS as MOST
from environments.registry import ENVIRONMENTS, GENERATION
from transfer.reading.formats.matching import insist, made, same
from transfer.reading.logs import Format, Game, Step
from transfer.reading.tables import Cells

LENGTH = re.compile(r"__(\d{1,4})__[12]agent__")
LENGTH_FACT, NOTEBOOK_FACT = "Length", "By the released notebook"
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
    length = LENGTH.search(folder.name)
    planned = int(length[1]) if length else 0
    if not planned:
        facts[LENGTH_FACT] = f"the folder's name does not say how many were planned; {MOST} are assumed"
    reasoning = "_v1_reasoning__" in str(folder)
    return Game(ours, "single_agent" if alone else "main", reasoning, min(MOST, planned or MOST), "", facts)


def _closing(game: Game, steps: list[Step], prompts: Mapping[str, str]) -> Game:
    """The system prompt shows the wording for reasoning models. Folder names, which may be lost, come second."""
    facts = dict(game.facts)
    if len(steps) == MOST:
        facts.pop(LENGTH_FACT, None)
        facts |= _notebook(game, steps)
    prompt_set = ENVIRONMENTS[game.instance.environment].prompt_set
    told = {prompt_set.system(game.variant, reasoning=wording): wording for wording in (False, True)}
    return replace(game, facts=facts, reasoning=told.get(prompts.get("system", ""), game.reasoning))


def _notebook(game: Game, steps: list[Step]) -> dict[str, str]:
    """The score of the released notebook, whose windows are a period longer than the paper's."""
    reference, alpha = game.instance.reference, game.instance.hidden["alpha"]
    prices = [list(step.action.values()) for step in steps]
    if not all(isinstance(price, int | float) for period in prices for price in period):
        return {}
    if game.variant == "single_agent":
        last = [price for (price,) in prices[-CONVERGENCE_PERIODS - 1 :]]
        spread = abs(np.percentile(last, [10, 90]) - reference["single_agent_price"]) / alpha
        passed = "converged" if max(spread) <= TOLERANCE else "did not converge"
        told = f"{passed}, by the last {len(last)} prices and a tolerance of {TOLERANCE} in units of alpha"
        return {NOTEBOOK_FACT: told}
    theirs, ours = (_litmus(prices[-count:], reference) for count in (SCORED_PERIODS + 1, SCORED_PERIODS))
    window = f"the mean over periods {MOST - SCORED_PERIODS - 1} to {MOST - 1}, {SCORED_PERIODS + 1} of them"
    return {NOTEBOOK_FACT: f"{theirs:.4f}, {window}; {ours:.4f} over the last {SCORED_PERIODS}, as the paper says"}


def _litmus(prices: list[list[float]], reference: Mapping[str, float]) -> float:
    mean = math.fsum(price for period in prices for price in period) / (2 * len(prices))
    return litmus(mean, reference["nash_price"], reference["collusive_price"])


def _step(cells: Cells, game: Game, chosen: Mapping[str, float]) -> Step:
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
    evidence="quantities",
    game=_game,
    step=_step,
    closing=_closing,
)
