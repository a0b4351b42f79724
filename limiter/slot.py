"""The permission to make one call."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from limiter.vocabulary import Outcome

LONGEST_RETRY_AFTER = 86400.0


@dataclass(slots=True, eq=False)
class Slot:
    """A slot. done() frees it; as a context manager it is freed in any case.

    tokens: reserved for the call
    granted_at: milliseconds of the broker's clock; 0 if this process granted it without the broker
    """

    end: Callable[[Slot, Outcome, int | None, float], None]
    token: str
    tokens: int
    granted_at: int

    def done(self, outcome: Outcome, *, tokens: int | None = None, retry_after: float | None = None) -> None:
        """Free the slot. A second call does nothing.

        tokens: used tokens; None counts the reserved ones, and none after LIMITED and REFUSED
        retry_after: seconds that the provider asked to wait, with LIMITED
        """
        seconds = retry_after if retry_after and math.isfinite(retry_after) else 0.0
        self.end(self, Outcome(outcome), tokens, min(max(0.0, seconds), LONGEST_RETRY_AFTER))

    def __enter__(self) -> Slot:
        return self

    def __exit__(self, *exc: object) -> None:
        self.done(Outcome.REFUSED)
