from collections.abc import Callable
from dataclasses import replace

from accounts.models import Endpoint
from infrastructure import limiter
from infrastructure.limiter import CallResult, Limits, Slot
from runs.models import Agent


def take_slot(endpoint: Endpoint, agent: Agent | None, tokens: int, stop: Callable[[], bool] | None = None) -> Slot:
    """A slot for one call with the endpoint's key. If the agent has a limit of its own, it counts there too. Raises Held."""
    limits = Limits(endpoint.calls_at_once, endpoint.requests_per_minute, endpoint.tokens_per_minute)
    if agent is None or agent.calls_at_once is None:
        return limiter.acquire(endpoint.pk, limits, tokens, stop)
    # The agent's slot comes first: a call that waits for it must not hold one of the key.
    own = limiter.acquire(f"agent-{agent.pk}", Limits(agent.calls_at_once, of="agent"), 0, stop)
    try:
        slot = limiter.acquire(endpoint.pk, limits, tokens, stop)
    except BaseException:
        own.done(CallResult.REFUSED)
        raise
    end = slot.end

    def end_both(ended: Slot, outcome: CallResult, used: int | None, retry_after: float) -> None:
        end(ended, outcome, used, retry_after)
        # What the provider answered concerns the key alone.
        own.done(CallResult.OK)

    return replace(slot, end=end_both)
