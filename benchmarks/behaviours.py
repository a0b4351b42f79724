"""Plays the labelled runs of behaviours.json. The agents follow scripts, so the periods of their changes are known.

A row holds the script of an agent, and labels: the findings that a person would want to read. A label is [[period, ...],
tolerance in periods]. A finding fits it near one of these periods, or in any period if the list is empty. Labels follow
from the script alone. A rule of JUDGED without a label must not find anything. Rules in `undecided` are not judged,
because their findings depend on chance. The two halves have the same kinds of behaviour, with other instances, periods,
sizes and noise. Thresholds of the rules were chosen on the half 'development' only.

The meaning of a level depends on the environment:
    pricing: a multiple of the optimal price, or of a fixed price
    procurement: a multiple of the optimal plan
    scheduling: the number of workers who change their task
    collusion: the price on a scale from the Nash price (0) to the collusive price (1)
    efficiency versus equality: the revenue on a scale from the least (0) to the largest (1)
    patience: the smallest amount for which the agent waits
"""

import json
import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from environments.base import SINGLE_SEAT, Environment, Instance
from environments.findings import FinishedRun
from environments.registry import ENVIRONMENTS, GENERATION, generate

ROWS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "behaviours.json").read_text(encoding="utf-8"))

JUDGED = (
    "heavy_loss",
    "early_change",
    "changed_course",
    "spread_changed",
    "notes_unchanged",
    "strategy_changed",
    "infeasible_plans",
    "contradictory",
)

Level = Callable[[int], float]
Action = dict[str, Any]


def played_run(row: dict[str, Any]) -> FinishedRun:
    """The finished run of a row."""
    name = row["environment"]
    instance = _instance(name, row["seed"])
    game = ENVIRONMENTS[name](instance)
    rng = np.random.default_rng([row["seed"], len(row["name"]), *row["name"].encode()])
    action, level = ACTIONS[row.get("play", name)], _level(row, rng)
    while not game.finished:
        game.step(action(game, level, rng))
    notes = {SINGLE_SEAT: _notes(row["notes"], game.period, rng)} if "notes" in row else {}
    return FinishedRun(instance, game.outcomes, game.periods, game.variant, notes)


@cache
def _instance(name: str, seed: int) -> Instance:
    return generate(name, next(iter(GENERATION[name].difficulties)), seed)


def _level(row: dict[str, Any], rng: np.random.Generator) -> Level:
    """Return the level as a function of the period: a base, which may change, with a drift, a cycle and noise.

    Keys of `row`:
    base, turns: the first base, and [first period, base] pairs for later ones
    drift: change of the level in each period
    cycle: [amplitude, length of half a cycle in periods]
    noise, noises: the first standard deviation, and [first period, standard deviation] pairs for later ones
    """

    def at(pairs: list[list[float]], period: int, otherwise: float) -> float:
        return next((value for first, value in reversed(pairs) if period >= first), otherwise)

    def level(period: int) -> float:
        amplitude, length = row.get("cycle", (0.0, 1))
        base = at(row.get("turns", []), period, row["base"]) + row.get("drift", 0.0) * period
        wave = amplitude * (1 if period // length % 2 else -1)
        return float(base + wave + rng.normal(0, at(row.get("noises", []), period, row.get("noise", 0.0))))

    return level


# Actions


def _prices(game: Environment, level: Level, rng: np.random.Generator) -> Action:
    """Set prices. The level is a multiple of the period's optimal price."""
    ((product, optimal),) = zip(
        game.instance.parameters["products"], game.instance.reference["optimal_prices"][game.period], strict=True
    )
    return {product: max(level(game.period) * optimal, 0.01)}


def _dollars(game: Environment, level: Level, rng: np.random.Generator) -> Action:
    """Set prices. The level is a multiple of $16, whatever the optimal price is."""
    return {product: max(16 * level(game.period), 0.01) for product in game.instance.parameters["products"]}


def _plans(game: Environment, level: Level, rng: np.random.Generator) -> Action:
    """Buy the optimal plan with every quantity multiplied by the level."""
    times = max(level(game.period), 0.0)
    best = game.instance.reference["optimum"]["plan"]
    return game.parse_joint({offer: round(times * quantity) for offer, quantity in best.items()})


def _assignments(game: Environment, level: Level, rng: np.random.Generator) -> Action:
    """Rotate the tasks of random workers. The level is the number of these workers."""
    workers = game.instance.parameters["workers"]
    if not game.outcomes:
        return dict(zip(workers, game.instance.parameters["tasks"], strict=True))
    assigned = game.outcomes[-1].action
    number = int(np.clip(round(level(game.period)), 0, len(workers)))
    ring = [workers[index] for index in rng.choice(len(workers), number, replace=False)]
    rotated = dict(zip(ring, (assigned[worker] for worker in (*ring[1:], *ring[:1])), strict=True))
    return {worker: rotated.get(worker, assigned[worker]) for worker in workers}


def _markets(game: Environment, level: Level, rng: np.random.Generator) -> Action:
    """Set prices in a market of two. Seat 0 follows the script; seat 1 stays half-way between Nash and collusion."""
    nash, collusive = game.instance.reference["nash_price"], game.instance.reference["collusive_price"]
    levels = (level(game.period), 0.5 + rng.normal(0, 0.03))
    return {f"seat_{seat}": max(nash + of_seat * (collusive - nash), 0.01) for seat, of_seat in enumerate(levels)}


def _companies(game: Any, level: Level, rng: np.random.Generator) -> Action:
    """Assign workers to tasks so that the revenue is near the level, the best of 20 random orders and the two extremes."""
    tasks = sorted(game.tasks, key=game.sizes.__getitem__)
    workers = sorted(game.workers, key=game.productivities.__getitem__)
    orders = [rng.permutation(len(workers)) for _ in range(20)] + [np.arange(4), np.arange(4)[::-1]]
    skills, sizes = ([float(of[name]) for name in names] for of, names in
                     ((game.productivities, workers), (game.sizes, tasks)))  # fmt: skip
    least, most = (sum(a * b for a, b in zip(skills, row, strict=True)) for row in (sizes[::-1], sizes))
    target = least + float(np.clip(level(game.period), 0, 1)) * (most - least)
    best = min(orders, key=lambda order: abs(sum(skills[w] * s for w, s in zip(order, sizes, strict=True)) - target))
    return dict(game.parse_joint({task: workers[w] for task, w in zip(tasks, best, strict=True)}))


def _answers(game: Any, level: Level, rng: np.random.Generator) -> Action:
    """Choose the later money for amounts of at least the level; for a negative level, of at most its absolute value."""
    cell = game.cells[game.period]
    questions, threshold = len(cell.flips), level(game.period)
    is_later = cell.amount >= threshold if threshold >= 0 else cell.amount <= -threshold
    slips = int(rng.random() < 0.1)
    later = questions - slips if is_later else slips
    return dict(game.parse_joint({"horizon": cell.horizon.label, "amount": cell.amount, "later": later,
                                  "now": questions - later, "invalid": 0}))  # fmt: skip


ACTIONS: dict[str, Callable[[Any, Level, np.random.Generator], Action]] = {
    "pricing": _prices,
    "fixed prices": _dollars,
    "procurement": _plans,
    "scheduling": _assignments,
    "collusiveness_vs_competitiveness": _markets,
    "efficiency_vs_equality": _companies,
    "patience_vs_impatience": _answers,
}
"""Functions that return the action of the current period."""


# Notes

CAREFUL = (
    "Hold the action near the best value seen so far.",
    "Small steps only: the result hardly reacts to tiny adjustments.",
    "Keep the present plan and watch for slow movement of demand.",
    "Stay cautious, large deviations were costly.",
    "The history suggests a broad plateau around the current choice.",
    "Continue fine tuning with steps of {n}.",
    "No reason to leave the neighbourhood of {n}.",
    "Confirm the estimate by repeating similar choices.",
)
BOLD = (
    "Abandon tuning: explore distant regions with extreme bets.",
    "Undercut everybody aggressively and grab volume.",
    "Alternate between both ends to learn their elasticity.",
    "Gamble on untested combinations every round.",
    "Ignore earlier averages, since conditions shifted completely.",
    "Jump by {n} whenever profits disappoint.",
    "Sweep systematically through unexplored territory from {n} upward.",
    "Punish rivals until they retreat.",
)
HEADING = "Period {n} of the run. Summary of insights and plan for the next attempt:"
SECTIONS = (
    "Rules: one submission each period, feedback arrives afterwards, notes persist.",
    "Limits: respect constraints, never submit malformed input, read history first.",
)


DRAWN = {"varied": 0.0, "turn": 1.0, "half turn": 0.5, "drift": 1.0}
"""Kinds of notes whose sentences are drawn again in each period. The number is the share of BOLD sentences after `at`; for
'drift', the share that is approached at the end."""


def _notes(script: dict[str, Any], periods: int, rng: np.random.Generator) -> dict[int, str]:
    """Return the notes by period. Below, "bold" means sentences of BOLD; all others are of CAREFUL and SECTIONS.

    The key `kind` of the script is one of:
    varied: random sentences in each period
    turn, half turn: random sentences; from period `at` on, all or half of them are bold
    drift: random sentences, of which more and more are bold
    section, line: a fixed text; from `at` on, bold sentences replace a part of it, or one follows it
    frozen, counter: random sentences; from `at` on, a fixed text, unchanged or with new numbers
    template, log: a fixed text with new numbers; `log` also adds a line of numbers in each period
    """
    kind, at, log = script["kind"], script.get("at", math.inf), list[str]()
    texts = {}
    for period in range(periods):
        number, counter = f"{rng.uniform(1, 40):.2f}", str(period)
        is_later = period >= at
        if kind in DRAWN:
            share = DRAWN[kind] * (period / periods if kind == "drift" else is_later)
            sentences = [str(rng.choice(BOLD if rng.random() < share else CAREFUL)) for _ in range(5)]
        elif kind in ("frozen", "counter") and not is_later:
            sentences = [str(sentence) for sentence in rng.choice(CAREFUL, 4, replace=False)]
        else:
            sentences = [*SECTIONS, *(BOLD[:5] if kind == "section" and is_later else CAREFUL)]
            sentences += [BOLD[0]] if kind == "line" and is_later else []
        if kind == "log":
            log.append(f"- {period}: {rng.normal(20, 3):.2f} gave {rng.uniform(50, 100):.1f} %")
        if kind == "frozen" and is_later:
            number = counter = "7"
        texts[period] = "\n".join(
            [HEADING.format(n=counter), *(line.replace("{n}", number) for line in sentences), *log]
        )
    return texts
