"""Log format of collusiveness versus competitiveness. Only rows and folder names state model, prompt and length."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

import numpy as np

from environments.collusion.economics import TOLERANCE, litmus
from environments.collusion.environment import BOTH_SEATS, CONVERGENCE_PERIODS, SCORED_PERIODS
from environments.collusion.environment import PERIODS as MOST
from environments.registry import ENVIRONMENTS, GENERATION
from games.logs.cells import Cells
from games.logs.format import Format, LoggedGame, Step, agree, check_parameters, logged_instance

LENGTH = re.compile(r"__(\d{1,4})__[12]agent__")
LENGTH_FACT, NOTEBOOK_FACT = "Length", "By the released notebook"
SEED_TOLERANCE = 1e-3
"""Tolerance for the reference prices. The published ones come from a numerical optimiser."""


class CollusionFormat(Format):
    marks = ("monopoly_price", "nash_price", "alpha", "a", "c", "seed")
    period = "period"
    action = "prices"
    results = {"quantities": ("quantities", list), "profits": ("profits", list)}
    evidence = "quantities"

    def game(self, cells: Cells, folder: PurePosixPath) -> LoggedGame:
        sellers = len(cells.literal("a", list))
        if not 1 <= sellers <= 2:
            raise cells.refuse("a must name one seller or two")
        settings = dict(GENERATION["collusiveness_vs_competitiveness"].difficulties["STANDARD"])
        ours = logged_instance(cells, "collusiveness_vs_competitiveness", settings)
        check_parameters(cells, a=[settings["quality"]] * sellers, c=[settings["cost"]] * sellers)
        check_parameters(cells, mu=settings["mu"], multiplier=settings["market_size"], a0=settings["outside_quality"])
        check_parameters(cells, alpha=ours.hidden["alpha"], sigma=0)
        variant = "single_agent" if sellers == 1 else "main"
        facts = {}
        best = ours.reference["single_agent_price" if sellers == 1 else "collusive_price"]
        for name, own in (("monopoly_price", best), ("nash_price", ours.reference["nash_price"])):
            recorded = cells.number(name)
            is_comparable = name == "monopoly_price" or sellers == 2
            if is_comparable and not agree(own, recorded, SEED_TOLERANCE, SEED_TOLERANCE):
                facts[name.replace("_", " ").capitalize()] = f"{recorded:g} in the log, {own:.6g} here"
        length = LENGTH.search(folder.name)
        planned = int(length[1]) if length else 0
        if not planned:
            facts[LENGTH_FACT] = f"the folder's name does not say how many were planned; {MOST} are assumed"
        return LoggedGame(ours, variant, "_v1_reasoning__" in str(folder), min(MOST, planned or MOST), "", facts)

    def step(self, cells: Cells, game: LoggedGame, offered_prices: Mapping[str, float]) -> Step:
        seats = BOTH_SEATS[:1] if game.variant == "single_agent" else BOTH_SEATS
        by_seat = {}
        for name in (self.action, *self.results):
            values = cells.literal(name, list)
            if len(values) != len(seats):
                raise cells.refuse(f"{name} must have {len(seats)} values")
            by_seat[name] = dict(zip(seats, values, strict=True))
        return Step(by_seat.pop(self.action), by_seat, cells.location(self.action))

    def closing(self, game: LoggedGame, steps: Sequence[Step], prompts: Mapping[str, str]) -> LoggedGame:
        """Complete the game. The wording for reasoning models is read from the system prompt, else from folder names."""
        facts = dict(game.facts)
        if len(steps) == MOST:
            facts.pop(LENGTH_FACT, None)
            prices = [list(step.action.values()) for step in steps]
            if all(isinstance(price, int | float) for period in prices for price in period):
                facts[NOTEBOOK_FACT] = _notebook(game, prices)
        prompt_set = ENVIRONMENTS[game.instance.environment].prompt_set
        wordings = {prompt_set.system(game.variant, reasoning=wording): wording for wording in (False, True)}
        return replace(game, facts=facts, reasoning=wordings.get(prompts.get("system", ""), game.reasoning))


def _notebook(game: LoggedGame, prices: list[list[float]]) -> str:
    """Describe the score that the authors' notebook computes. Its windows are one period longer than the paper's."""
    reference, alpha = game.instance.reference, game.instance.hidden["alpha"]
    if game.variant == "single_agent":
        last = [price for (price,) in prices[-CONVERGENCE_PERIODS - 1 :]]
        spread = abs(np.percentile(last, [10, 90]) - reference["single_agent_price"]) / alpha
        passed = "converged" if max(spread) <= TOLERANCE else "did not converge"
        return f"{passed}, by the last {len(last)} prices and a tolerance of {TOLERANCE} in units of alpha"
    scores = []
    for window in (prices[-SCORED_PERIODS - 1 :], prices[-SCORED_PERIODS:]):
        mean = math.fsum(price for period in window for price in period) / (2 * len(window))
        scores.append(litmus(mean, reference["nash_price"], reference["collusive_price"]))
    theirs, ours = scores
    window_text = f"the mean over periods {MOST - SCORED_PERIODS - 1} to {MOST - 1}, {SCORED_PERIODS + 1} of them"
    return f"{theirs:.4f}, {window_text}; {ours:.4f} over the last {SCORED_PERIODS}, as the paper says"
