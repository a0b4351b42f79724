"""The payoff of a participant: a fee, and a rate for each point of the score."""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from environments.registry import ENVIRONMENTS, variant_of
from pages.play.models import Participant, Study
from runs.episodes.models import Ending

CENT = Decimal("0.01")


def is_skill(environment: str, variant: str) -> bool:
    """Whether a higher score is better. Litmus tests measure tendencies, except in their competency variants."""
    return ENVIRONMENTS[environment].litmus is None or variant_of(environment, variant).is_competency


def payoff_of(study: Study, score: float | None) -> Decimal | None:
    """The payoff of a finished game, never less than the fee. None if there is no score but points are paid."""
    if not study.rate:
        return study.fee
    if score is None:
        return None
    points = Decimal(repr(max(score, 0.0))) * 100
    return (study.fee + study.rate * points).quantize(CENT, ROUND_HALF_UP)


@dataclass(frozen=True)
class Payment:
    """How the payoff of a participant comes about.

    fee: what is paid in any case; points: points of 100 that are paid, None if there is no score yet
    bonus: what the points pay, rounded to cents; None as for `points`. total: the payoff, None while unknown
    """

    fee: Decimal
    rate: Decimal
    points: Decimal | None
    bonus: Decimal | None
    total: Decimal | None

    @property
    def rate_text(self) -> str:
        """The rate without trailing zeros."""
        return f"{self.rate.normalize():f}"


def payment_of(participant: Participant) -> Payment:
    """The payoff of a participant, part by part."""
    study, total, seat = participant.study, earned(participant), participant.seat
    run = seat.episode.run if seat is not None and seat.episode.ending == Ending.FINISHED else None
    is_scored = bool(study.rate) and run is not None and run.score is not None
    points = (
        Decimal(repr(max(run.score, 0.0))) * 100 if is_scored and run is not None and run.score is not None else None
    )
    return Payment(study.fee, study.rate, points, total - study.fee if points is not None and total else None, total)


def earned(participant: Participant) -> Decimal | None:
    """The payoff of a participant: that of a finished game, or the fee if the other player left."""
    study, seat = participant.study, participant.seat
    if seat is None or seat.episode.run is None:
        return None
    if seat.episode.ending == Ending.FINISHED:
        return payoff_of(study, seat.episode.run.score)
    return study.fee if participant.is_left_alone else None
