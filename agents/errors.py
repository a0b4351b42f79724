"""What can go wrong with a provider, typed by what the runner has to do about it."""

from __future__ import annotations


class ProviderRetry(Exception):
    """Worth trying again: rate limit, overload, time-out, dropped connection, a body that cannot be read.

    reason: one plain sentence for a person
    retry_after: seconds the provider asked to wait, None where it did not say
    may_be_billed: whether the provider may have answered and bill it: not where it said no, or was never reached
    limited: whether the provider asked for fewer requests (rate limit, overload)
    kind: 'limit' for a rate limit, 'timeout' for an answer that did not come in time, 'endpoint' for all else
    """

    def __init__(
        self,
        reason: str,
        *,
        retry_after: float | None = None,
        may_be_billed: bool = True,
        limited: bool = False,
        kind: str = "endpoint",
    ):
        super().__init__(reason)
        self.reason = reason
        self.retry_after = retry_after
        self.may_be_billed = may_be_billed
        self.limited = limited
        self.kind = kind


class ProviderFatal(Exception):
    """Not worth trying again before a person acts: wrong key, unknown model, no credit, context too long.

    kind: 'key', 'credit', 'forbidden', 'model', 'context', 'request', or 'address' for an address that is not called
    reason: one plain sentence for a person, with the provider's own message
    """

    def __init__(self, kind: str, reason: str):
        super().__init__(reason)
        self.kind = kind
        self.reason = reason
