"""Rules of findings about collusion runs. Prices are on the scale on which Nash is 0 and collusive is 1."""

import statistics
from collections.abc import Iterator

from environments.changes.rules import (
    STRATEGY_CHANGED,
    changed_course,
    early_change_of_course,
    heavy_loss,
    spread_changed,
)
from environments.changes.series import Course, ResultSeries, Series
from environments.collusion.economics import Market, place
from environments.collusion.environment import SCORED_PERIODS, CollusivenessVersusCompetitiveness
from environments.findings import Finding, Played, Rule, need, number, percent
from environments.shared_findings import LONG, NOTES_UNCHANGED

NEAR, MOSTLY = 0.2, 0.9
"""Near the collusive price: within a fifth of the distance from the Nash price, in 90 % of the periods that count."""

CUT = 0.1
"""Least fall of a price that counts as a cut, on the scale of places."""

WITHIN = 2
"""Periods in which a cut is followed. A price is seen in the period after it was set."""

FEWEST_CUTS, FOLLOWED = 4, 0.75
"""Cuts, and least share of them that was followed."""

ABOVE_USUAL = 0.4
"""Least excess of that share over the share of other periods after which the price fell as much."""

PLACE_STEP = 0.25
FURTHEST = 3.0
"""Places further than this from the Nash price count as this far: nothing sells there."""


def _places(played: Played) -> dict[str, list[float]]:
    """Prices by seat and period on the scale of places."""
    reference = played.instance.reference
    nash, collusive = number(reference["nash_price"]), number(reference["collusive_price"])
    return {
        seat: [
            min(FURTHEST, max(-FURTHEST, place(number(one.action[seat]), nash, collusive))) for one in played.outcomes
        ]
        for seat in played.outcomes[0].action
    }


def _near_collusive(played: Played) -> Iterator[Finding]:
    places = _places(played)
    last = CollusivenessVersusCompetitiveness.scored_periods(played.periods, SCORED_PERIODS)
    pairs = list(zip(*(own[-last:] for own in places.values()), strict=True))
    need(len(places) > 1 and len(pairs) >= LONG)
    near = sum(all(abs(one - 1) <= NEAR for one in pair) for pair in pairs)
    if near >= MOSTLY * len(pairs):
        mean = statistics.fmean(one for pair in pairs for one in pair)
        start = played.outcomes[-len(pairs)].period
        sentence = (
            f"Both sellers kept near the collusive price in {near} of the last {len(pairs)} periods, "
            f"at {mean:.2f} on average (0 is Nash, 1 collusive)."
        )
        yield Finding(sentence, start, mean)


def _followed_cuts(played: Played) -> Iterator[Finding]:
    places = _places(played)
    need(len(places) == 2 and len(played.outcomes) > FEWEST_CUTS + WITHIN)
    for seat, rival in zip(places, reversed(places), strict=True):
        own, others = places[seat], places[rival]
        cuts, followed, usual = [], [], []
        for period in range(1, len(own) - WITHIN):
            cut = others[period - 1] - others[period]
            if own[period - 1] - own[period] >= CUT / 2:
                continue  # both moved at once, or this seller cut first
            least = min(own[period + 1 : period + 1 + WITHIN])
            if cut >= CUT:
                cuts.append(period)
                followed += [period] * (own[period] - least >= cut / 2)
            else:
                usual.append(own[period] - least >= CUT / 2)
        share = len(followed) / len(cuts) if cuts else 0.0
        usually = statistics.fmean(usual) if usual else 0.0
        if len(cuts) >= FEWEST_CUTS and share >= FOLLOWED and share - usually >= ABOVE_USUAL:
            who = seat.replace("_", " ").capitalize()
            sentence = (
                f"{who} followed {len(followed)} of {len(cuts)} price cuts of its rival within {WITHIN} periods, the first "
                f"in period {followed[0]}; it cut its price after {percent(usually)} of the other periods."
            )
            yield Finding(sentence, followed[0], share, seat)


def _levels(played: Played) -> Iterator[Series]:
    places = _places(played)
    for seat, own in places.items():
        who = seat.replace("_", " ") if len(places) > 1 else "the seller"

        def sentence(period: int, before: float, after: float, who: str = who) -> str:
            levels = f"at about {after:.2f}, after {before:.2f} before".replace("-", "−")
            return f"From period {period} on, {who} priced {levels} (0 is the Nash price, 1 the collusive one)."

        yield Series(
            values=own,
            step=PLACE_STEP,
            subject=f"the price of {who}",
            shown=lambda value: f"{value:.2f}".replace("-", "−"),
            unit=" (0 is the Nash price, 1 the collusive one)",
            seat=seat if len(places) > 1 else "",
            sentence=sentence,
        )


def _profits(played: Played) -> Iterator[ResultSeries]:
    """Profit by seat as a share of what each seller earns at the collusive price, of a single seller at its optimum."""
    seats = list(played.outcomes[0].action)
    market, reference = Market.of(played.instance), played.instance.reference
    alone = len(seats) == 1
    best = number(reference["single_agent_price" if alone else "collusive_price"])
    most = market.profits([best] * len(seats))[0]
    for seat in seats:
        yield ResultSeries(
            values=[number(one.result["profits"][seat]) / most for one in played.outcomes],
            subject="its profit" if alone else f"the profit of {seat.replace('_', ' ')}",
            unit=" of the optimum" if alone else " of that at the collusive price",
            seat="" if alone else seat,
        )


COURSE = Course(actions=_levels, results=_profits)


RULES = (
    Rule("near_collusive", "Near the collusive price", _near_collusive, is_problem=False),
    Rule("followed_cuts", "Followed price cuts", _followed_cuts, is_problem=False),
    heavy_loss(COURSE),
    early_change_of_course(COURSE),
    changed_course(COURSE),
    spread_changed(COURSE),
    NOTES_UNCHANGED,
    STRATEGY_CHANGED,
)
