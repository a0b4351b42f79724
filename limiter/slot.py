"""A place for one call."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from limiter.vocabulary import Outcome

LONGEST_RETRY_AFTER = 86400.0


@dataclass(slots=True, eq=False)
class Slot:
    """The permission to make one call; done() gives it back. As a context manager it comes back in any case.

    tokens: reserved for the call
    granted_at: milliseconds of the broker's clock; 0 where this process granted it on its own
    """

    end: Callable[[Slot, Outcome, int | None, float], None]
    token: str
    tokens: int
    granted_at: int

    def done(self, outcome: Outcome, *, tokens: int | None = None, retry_after: float | None = None) -> None:
        """Give the slot back; a second call does nothing.

        tokens: used; where None, what was reserved counts, and nothing after LIMITED and REFUSED
        retry_after: seconds, with LIMITED; None where the provider did not say
        """
        seconds = retry_after if retry_after and math.isfinite(retry_after) else 0.0
        self.end(self, Outcome(outcome), tokens, min(max(0.0, seconds), LONGEST_RETRY_AFTER))

    def __enter__(self) -> Slot:
        return self

    def __exit__(self, *exc: object) -> None:
        self.done(Outcome.REFUSED)
