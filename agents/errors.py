"""Errors of providers: those worth a retry and those that need a person."""

from agents.llm import Usage


class ProviderRetry(Exception):
    """Temporary error: rate limit, overload, timeout, dropped connection, unreadable body.

    reason: one plain sentence for a person
    retry_after: seconds the provider asked to wait, None if it did not say
    may_be_billed: whether the provider may bill the query: False if it refused the query or was not reached
    limited: whether the provider asked for fewer requests (rate limit, overload)
    kind: 'limit' for a rate limit, 'timeout' for a late answer, 'capacity' for a service tier without room, 'endpoint' for
        everything else
    usage: what the provider says it bills, None if it does not say
    """

    def __init__(
        self,
        reason: str,
        *,
        retry_after: float | None = None,
        may_be_billed: bool = True,
        limited: bool = False,
        kind: str = "endpoint",
        usage: Usage | None = None,
    ):
        super().__init__(reason)
        self.reason, self.kind, self.retry_after = reason, kind, retry_after
        self.may_be_billed, self.limited, self.usage = may_be_billed, limited, usage


class ProviderFatal(Exception):
    """Permanent error that a person must fix: wrong key, unknown model, no credit, context too long.

    kind: 'key', 'credit', 'forbidden', 'model', 'context', 'request', or 'address' for an address that is not called
    reason: one plain sentence for a person, with the provider's own message
    usage: what the provider says it bills, None for nothing
    of_model: whether other models may still be used with the key
    """

    def __init__(self, kind: str, reason: str, *, usage: Usage | None = None, of_model: bool = False):
        super().__init__(reason)
        self.kind, self.reason, self.usage, self.of_model = kind, reason, usage, of_model
