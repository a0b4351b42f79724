from collections.abc import Callable
from dataclasses import replace

from accounts.models import Endpoint
from infrastructure import limiter
from infrastructure.limiter import CallResult, Limits, Slot
from runs.models import Agent


def take_slot(endpoint: Endpoint, agent: Agent | None, tokens: int, stop: Callable[[], bool] | None = None) -> Slot:
    """Take a limiter slot of the endpoint's key for one call. If the agent has its own limit, take a slot of it too.

    tokens: estimated tokens of the call; stop: tells whether to give up waiting. Raises Held.
    """
    limits = Limits(endpoint.calls_at_once, endpoint.requests_per_minute, endpoint.tokens_per_minute)
    if agent is None or agent.calls_at_once is None:
        return limiter.acquire(endpoint.pk, limits, tokens, stop)
    # The agent's slot comes first: while a call waits for it, it must not occupy a slot of the key.
    own = limiter.acquire(f"agent-{agent.pk}", Limits(agent.calls_at_once, of="agent"), 0, stop)
    try:
        slot = limiter.acquire(endpoint.pk, limits, tokens, stop)
    except BaseException:
        own.done(CallResult.REFUSED)
        raise
    end = slot.end

    def end_both(ended: Slot, outcome: CallResult, used: int | None, retry_after: float) -> None:
        end(ended, outcome, used, retry_after)
        # An error of the call must slow down only the key, so the agent's slot always ends as OK.
        own.done(CallResult.OK)

    return replace(slot, end=end_both)
