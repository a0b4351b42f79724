"""Rules of findings about pricing runs."""

import math
import statistics
from collections.abc import Iterator, Sequence

from environments.changes import rules
from environments.findings import Finding, FinishedRun, Rule, name, need, number, percent
from environments.pricing.environment import Pricing
from environments.shared_findings import LONG, NOTES_UNCHANGED
from environments.shocks import period_of

SAME_PRICE = 0.005
"""Maximum relative difference between two prices that count as unchanged."""

OPTIMUM_MOVED = 1.25
"""Minimum ratio of the highest to the lowest optimal price for which a constant price loses a large part of the profit."""

CLOSE, MOSTLY, TRACKED = 0.1, 0.9, 0.5
"""Prices track the optimum under two conditions. In at least a share MOSTLY of the scored periods,
the mean error over the products is at most CLOSE. Over all scored periods, the mean error is at
most TRACKED times that of constant prices at the geometric means of the optimal ones."""

TRACKABLE = 1.15
"""Minimum ratio of the highest to the lowest optimal price. Smaller movements cannot be tracked."""

GOOD, FELL = 0.5, 0.2
"""Minimum profit before a fall and minimum size of the fall, as shares of the optimal profit."""

PRICE_STEP = math.log(1.15)
CENT = 0.01


def _prices(run: FinishedRun) -> dict[str, tuple[list[float], list[float]]]:
    """For each product, the prices that the agent set and the optimal prices, by period."""
    optimal = run.instance.reference["optimal_prices"]
    return {
        product: (
            [number(outcome.action[product]) for outcome in run.outcomes],
            [number(optimal[outcome.period][index]) for outcome in run.outcomes],
        )
        for index, product in enumerate(run.instance.parameters["products"])
    }


def _log(price: float) -> float:
    """The logarithm of a price. A price of 0 counts as one cent, because 0 has no logarithm."""
    return math.log(max(price, CENT))


def _unchanged(prices: Sequence[float]) -> Iterator[tuple[int, int]]:
    """Yield (start, end), end excluded, of consecutive stretches of unchanged prices.

    A stretch lasts as long as prices are within SAME_PRICE of its first price.
    """
    start = 0
    for index in range(1, len(prices) + 1):
        if index == len(prices) or abs(prices[index] - prices[start]) > SAME_PRICE * abs(prices[start]):
            yield start, index
            start = index


def _price_unchanged(run: FinishedRun) -> Iterator[Finding]:
    best: dict[str, tuple[float, int, int]] = {}
    prices = _prices(run)
    # A price that stood for long before a shock and for a moment after it was not left unchanged while the optimum moved.
    need(period_of(run.instance) is None)
    need(len(run.outcomes) >= LONG and any(max(path) >= OPTIMUM_MOVED * min(path) for _, path in prices.values()))
    for product, (own, optimal) in prices.items():
        for start, end in _unchanged(own):
            moved = max(optimal[start:end]) / min(optimal[start:end])
            if end - start >= LONG and moved >= OPTIMUM_MOVED:
                best[product] = max(best.get(product, (0.0, 0, 0)), (moved, start, end))
    if not best:
        return
    product, (moved, start, end) = max(best.items(), key=lambda item: item[1])
    own, optimal = prices[product]
    also, rest = len(best) - 1, len(prices) - 1
    others = f" So did {'all' if also == rest else f'{also} of'} the other {rest} prices." if also else ""
    yield Finding(
        f"The price of {name(product)} stayed at {own[start]:,.2f} from period {start} to {end - 1} "
        f"({end - start} periods) while the optimal price {_movement(optimal[start:end])}.{others}",
        start,
        moved - 1,
    )


def _movement(optimal: Sequence[float]) -> str:
    """Describe a movement, such as 'rose by 52 %, from 20.10 to 30.55', 'fell by ...' or 'moved between ... and ...'."""
    low, high = min(optimal), max(optimal)
    if (optimal[0], optimal[-1]) == (low, high):
        return f"rose by {percent(high / low - 1)}, from {low:,.2f} to {high:,.2f}"
    if (optimal[0], optimal[-1]) == (high, low):
        return f"fell by {percent(1 - low / high)}, from {high:,.2f} to {low:,.2f}"
    return f"moved between {low:,.2f} and {high:,.2f}"


def _tracked(run: FinishedRun) -> Iterator[Finding]:
    last = Pricing.scored_periods(run.periods)
    errors, spreads, moves = [], [], []
    for own, optimal in _prices(run).values():
        logs = [math.log(value) for value in optimal[-last:]]
        middle = statistics.fmean(logs)
        errors.append([abs(_log(price) - log) for price, log in zip(own[-last:], logs, strict=True)])
        spreads.append(statistics.fmean(abs(log - middle) for log in logs))
        moves.append(math.exp(max(logs) - min(logs)))
    by_period = [statistics.fmean(period_errors) for period_errors in zip(*errors, strict=True)]
    close = sum(error <= math.log(1 + CLOSE) for error in by_period)
    error, moved = statistics.fmean(by_period), statistics.median(moves)
    need(len(by_period) >= LONG and moved >= TRACKABLE)
    if close >= MOSTLY * len(by_period) and error <= TRACKED * statistics.fmean(spreads):
        start = run.outcomes[-len(by_period)].period
        yield Finding(
            f"Its prices followed the optimal ones from period {start} on: within 10 % in {close} of {len(by_period)} "
            f"periods, while the optimal price moved by {percent(moved - 1)}.",
            start,
            math.expm1(error),
        )


def _shares(run: FinishedRun) -> list[float]:
    """The profit of each period as a share of the optimal one."""
    return [number(outcome.result["share_of_optimum"]) for outcome in run.outcomes]


def _profit_fell(run: FinishedRun) -> Iterator[Finding]:
    shares = _shares(run)
    last = Pricing.scored_periods(run.periods)
    need(len(shares) >= LONG + last and period_of(run.instance) is None)
    before, after = statistics.fmean(shares[:LONG]), statistics.fmean(shares[-last:])
    if before >= GOOD and before - after >= FELL:
        yield Finding(
            f"Profit fell from {percent(before)} of the optimum in the first {LONG} periods to {percent(after)} in the "
            f"last {last}, which count.",
            len(shares) - last,
            before - after,
        )


def _level(run: FinishedRun) -> Iterator[rules.Series]:
    """The series of the mean logarithm of the prices."""
    logs = [[_log(price) for price in own] for own, _ in _prices(run).values()]
    means = [statistics.fmean(period_logs) for period_logs in zip(*logs, strict=True)]
    which = "its price" if len(logs) == 1 else f"its {len(logs)} prices"

    def sentence(period: int, before: float, after: float) -> str:
        times = math.exp(after - before)
        by = f"{percent(times - 1)} higher" if times > 1 else f"{percent(1 - times)} lower"
        mean = "" if len(logs) == 1 else " on average"
        return f"From period {period} on, it kept {which}{mean} about {by} than before."

    subject = "its price" if len(logs) == 1 else f"the mean of {which}"
    yield rules.Series(values=means, step=PRICE_STEP, subject=subject, format_value=_dollars, sentence=sentence)


def _each_price(run: FinishedRun) -> Iterator[rules.Series]:
    prices = _prices(run)
    for product, (own, _) in prices.items():
        subject = "its price" if len(prices) == 1 else f"the price of {name(product)}"
        yield rules.Series(
            values=[_log(price) for price in own], step=PRICE_STEP, subject=subject, format_value=_dollars
        )


def _dollars(log: float) -> str:
    return f"{math.exp(log):,.2f}"


def _profit(run: FinishedRun) -> Iterator[rules.ResultSeries]:
    yield rules.ResultSeries(values=_shares(run), subject="its profit")


COURSE = rules.Course(actions=_level, results=_profit, parts=_each_price)


RULES = (
    Rule("tracked_optimum", "Tracked the optimum", _tracked, is_problem=False),
    Rule("price_unchanged", "Price unchanged", _price_unchanged),
    Rule("profit_fell", "Profit fell", _profit_fell),
    rules.heavy_loss(COURSE),
    rules.early_change_of_course(COURSE),
    rules.changed_course(COURSE),
    rules.spread_changed(COURSE),
    NOTES_UNCHANGED,
    rules.STRATEGY_CHANGED,
)
