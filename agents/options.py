"""Options of an LLM agent. Stored with every run; the API key is not part of them."""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
DEARER = {"service_tier": "priority", "speed": "fast"}
"""Parameters that raise the price of a token."""

EFFORT_PARAMETERS = {"reasoning_effort", "output_config", "reasoning"}
"""Names of the request parameters that set the reasoning effort."""

FLEX = "flex"
"""The service tier at half the price, with slower answers."""

FLEX_SECONDS = 900.0
"""Timeout of a query in the tier FLEX, as OpenAI recommends."""

OWN_PARAMETERS = {
    *("model", "models", "messages", "system", "tools", "tool_choice", "functions", "function_call"),
    *("input", "instructions", "store", "background", "previous_response_id", "conversation"),
    *("stream", "stream_options", "n", "temperature", "max_tokens", "max_completion_tokens", "max_output_tokens"),
}
"""Parameters that users may not set: the provider code sets them, or they would change which model answers, or how often."""

KEY_HEADERS = ("authorization", "x-api-key")
"""Names of the headers in which a key is sent, in lower case."""

NOT_SECRET = ("http-referer", "x-title", "user-agent", "anthropic-beta", "anthropic-version", "openai-beta")
"""Extra headers that are not masked, because their values are words that may occur in a reply."""

MOST_BYTES = 8 * 1024
"""Maximum size of the extra parameters as JSON."""

SECRET_NAME = re.compile(
    r"(x[-_]?)?api[-_]?key|(proxy[-_]?)?authorization|credentials?|password|((access|auth|bearer|id|secret)[-_]?)?token"
    r"|(client[-_]?)?secret",
    re.IGNORECASE,
)
SECRET_VALUE = re.compile(r"\s*(Bearer\s|(sk|pk|xai|gsk|hf|nvapi|key)[-_]\w[\w-]{14,}|AIza[\w-]{20,})", re.IGNORECASE)


@dataclass(frozen=True)
class LLMOptions:
    """Options of an LLM agent.

    provider: 'anthropic', 'openai' or 'openai-compatible'
    model: the provider's model id
    base_url: address of the API, empty for the provider's own
    reasoning: whether it is a reasoning model, which gets the wording for those, and no temperature if the API takes none
    temperature: sampling temperature (paper A.2: 1), None to leave it out
    max_tokens: output limit if the API requires one, None for the provider's own limit
    reasoning_effort: one of EFFORTS, empty for the provider's default
    extra_parameters: further parameters of every request, see `parameters_error`
    timeout_seconds: maximum total time of one query
    service_tier: FLEX, or empty for the provider's usual tier
    """

    provider: str
    model: str
    base_url: str = ""
    reasoning: bool = False
    temperature: float | None = 1.0
    max_tokens: int | None = None
    reasoning_effort: str = ""
    # Left out of the hash because a dict has none; equality still compares it.
    extra_parameters: dict[str, Any] = field(default_factory=dict, hash=False)
    timeout_seconds: float = 600.0
    service_tier: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def parameters_error(parameters: dict[str, Any], reasoning_effort: str = "") -> str:
    """One sentence that says why these extra parameters cannot be sent; empty if they can."""
    for name, value in _members(parameters):
        text = f"{name}{value if isinstance(value, str) else ''}"
        if "\x00" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
            return "The extra parameters have a character that cannot be stored."
        if SECRET_NAME.fullmatch(name) or (isinstance(value, str) and SECRET_VALUE.match(value)):
            return f"{name[:60]} looks like a key. Keys are stored with the endpoint, encrypted."
    for name, value in parameters.items():
        if DEARER.get(name) == value:
            return f"{name} {value} costs more than the prices of the agent say; leave it out here."
        if name.lower() in OWN_PARAMETERS:
            return f"{name} is set by EconEvals or by a field of its own; leave it out here."
        if reasoning_effort and name in EFFORT_PARAMETERS:
            return f"Leave {name} out here, or set the reasoning effort to the provider's default."
    if (size := len(json.dumps(parameters, ensure_ascii=False).encode())) > MOST_BYTES:
        return f"The extra parameters have at most {MOST_BYTES:,} bytes as JSON; these have {size:,}."
    return ""


def _members(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the name and value of every member of an object, at all levels."""
    yield name, value
    if isinstance(value, dict):
        for inner, member in value.items():
            yield from _members(member, inner)
    elif isinstance(value, list):
        for item in value:
            yield from _members(item, name)
