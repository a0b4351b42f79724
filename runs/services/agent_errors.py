"""What is wrong with the settings of an agent."""

from decimal import Decimal

from agents.options import EFFORTS, parameters_error
from infrastructure.text.slugs import ascii_slug
from runs.models import Agent
from runs.services.catalog import Price

MOST_OUTPUT_TOKENS = 1_000_000
MOST_CALLS_AT_ONCE = 10_000
FIRST_YEAR, LAST_YEAR = 2000, 2100

PRICES = ("input_price", "cached_price", "output_price")
TAKEN = "There is an agent of this name already."


def agent_errors(agent: Agent, prices: tuple[Price, ...], changed: list[str] | None = None) -> dict[str, str]:
    """Errors by field, one sentence each. `changed` lists the changed settings; None for a new agent."""
    errors: dict[str, str] = {}
    others = Agent.objects.filter(organization=agent.organization_id, imported=False).exclude(pk=agent.pk)
    if not ascii_slug(agent.name, "agent"):
        errors["name"] = "Give the agent a name with at least one letter or digit."
    elif (changed is None or "name" in changed) and others.filter(name__iexact=agent.name).exists():
        errors["name"] = TAKEN
    errors |= {name: sentence for name, is_wrong, sentence in _checks(agent) if is_wrong}
    if sentence := parameters_error(agent.extra_parameters, agent.reasoning_effort):
        errors["extra_parameters"] = sentence
    wrong = [name for name, price in zip(PRICES, prices, strict=True) if _is_outside(price, 0, 10_000)]
    return errors | dict.fromkeys(wrong, "A price is between $0 and $10,000 per million tokens.")


def _checks(agent: Agent) -> tuple[tuple[str, bool, str], ...]:
    """For each setting whether it is wrong, and the sentence about it."""
    endpoint = agent.endpoint
    return (
        ("model", not agent.model, "Give the model id the provider knows."),
        (
            "release_date",
            _is_outside(agent.release_date.year if agent.release_date else None, FIRST_YEAR, LAST_YEAR),
            f"A release date lies between {FIRST_YEAR} and {LAST_YEAR}.",
        ),
        (
            "endpoint",
            endpoint is None or endpoint.organization_id != agent.organization_id,
            "Choose one of your endpoints.",
        ),
        ("temperature", _is_outside(agent.temperature, 0, 2), "The temperature lies between 0 and 2."),
        (
            "max_tokens",
            _is_outside(agent.max_tokens, 1, MOST_OUTPUT_TOKENS),
            f"The most output tokens lie between 1 and {MOST_OUTPUT_TOKENS:,}.",
        ),
        (
            "reasoning_effort",
            agent.reasoning_effort not in ("", *EFFORTS),
            f"The reasoning effort is {', '.join(EFFORTS)}, or empty.",
        ),
        (
            "calls_at_once",
            _is_outside(agent.calls_at_once, 1, MOST_CALLS_AT_ONCE),
            f"The calls at once lie between 1 and {MOST_CALLS_AT_ONCE:,}.",
        ),
    )


def _is_outside(value: float | Decimal | None, least: int, most: int) -> bool:
    return value is not None and not least <= value <= most
