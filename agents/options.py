"""Options of an LLM agent. Stored with every run; the API key is not part of them."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class LLMOptions:
    """provider: 'anthropic', 'openai' or 'openai-compatible'
    model: the provider's model id
    base_url: address of the API, empty for the provider's own
    reasoning: a reasoning model: gets the reasoning wording, and no temperature where the API takes none
    temperature: sampling temperature (paper A.2: 1), None to leave it out
    max_tokens: cap on output where the API demands one, None for the provider's own limit
    timeout_seconds: total time one query may take
    """

    provider: str
    model: str
    base_url: str = ""
    reasoning: bool = False
    temperature: float | None = 1.0
    max_tokens: int | None = None
    timeout_seconds: float = 600.0

    def as_json(self) -> dict[str, Any]:
        return asdict(self)
