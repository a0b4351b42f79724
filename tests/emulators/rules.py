"""What the interfaces share: refusals in each maker's form, what was issued, token counts and the cache."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tests.emulators.model import Model
from tests.emulators.player import Play

TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
KEPT_OUT = ("cache_control", "encrypted_content", "signature", "extra_content")
"""Fields that neither count as input nor matter for what is the same prefix."""

ANTHROPIC_TYPES = {
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}
GOOGLE_STATUSES = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED"}
FORGIVING = re.compile(
    r"different conversation|invalid_encrypted_content|(invalid|corrupted) `?(thought[ _])?signature", re.IGNORECASE
)
"""Refusals after which a chat may come without its thinking."""


class Refused(Exception):
    """A request that the interface refuses; never billed."""

    def __init__(
        self,
        message: str,
        *,
        status: int = 400,
        param: str | None = None,
        code: str | int | None = None,
        kind: str = "",
    ):
        super().__init__(message)
        self.message, self.status, self.param, self.code = message, status, param, code
        self.kind = kind

    def body(self, maker: str) -> dict | list:
        """The error body as this maker writes it."""
        match maker:
            case "anthropic":
                kind = self.kind or ANTHROPIC_TYPES.get(self.status, "invalid_request_error")
                return {"type": "error", "error": {"type": kind, "message": self.message}, "request_id": "req_0"}
            case "google":
                state = GOOGLE_STATUSES.get(self.status, "UNKNOWN")
                return [{"error": {"code": self.status, "message": self.message, "status": state}}]
            case "xai":
                return {"code": self.code or "Client specified an invalid argument", "error": self.message}
            case "mistral" | "vllm":
                kind = self.kind or "BadRequestError"
                code = self.status if self.code is None else self.code
                return {"object": "error", "message": self.message, "type": kind, "param": self.param, "code": code}
            case "openrouter":
                return {"error": {"message": self.message, "code": self.status}}
        kind = self.kind or "invalid_request_error"
        return {"error": {"message": self.message, "type": kind, "param": self.param, "code": self.code}}


@dataclass(frozen=True)
class Issued:
    """One answer that went out. `items` are its parts in the wire format; `position` is how much chat came before."""

    key: str
    items: tuple[dict, ...]
    position: int
    model: str
    account: str
    prefixes: tuple[str, ...] = ()
    stored: bool = False


@dataclass
class Memory:
    """What an emulator remembers between requests.

    by_id: answers by the ids of their items, their calls and their sealed contents
    remarks: (number of the request, sentence): what interfaces accept though an adapter should not do it
    forgiven: accounts that were told that their thinking is invalid, which may then come without it
    """

    by_id: dict[str, Issued] = field(default_factory=dict)
    cached: dict[tuple[str, str, str], int] = field(default_factory=dict)
    remarks: list[tuple[int, str]] = field(default_factory=list)
    forgiven: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Asked:
    """A request for an answer. `model` is the card that answers."""

    body: dict
    account: str
    headers: dict[str, str]
    model: Model
    memory: Memory
    number: int

    def remark(self, sentence: str) -> None:
        self.memory.remarks.append((self.number, sentence))

    @property
    def forgiven(self) -> bool:
        return self.account in self.memory.forgiven

    def key(self, play: Play) -> str:
        """Names the answer; follows from request, account and play alone."""
        return digest([self.body, self.account, repr(play)])[:16]


def digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def tokens(text: str) -> int:
    """Four characters are a token."""
    return -(-len(text) // 4)


def plain(value: object) -> object:
    """A part of a request without cache marks and sealed contents."""
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items() if name not in KEPT_OUT}
    return [plain(member) for member in value] if isinstance(value, list) else value


def without_nulls(value: object) -> object:
    """SDKs add null for missing values."""
    if isinstance(value, dict):
        return {name: without_nulls(member) for name, member in value.items() if member is not None}
    return [without_nulls(member) for member in value] if isinstance(value, list) else value


def sizes(segments: Iterable[object]) -> list[tuple[str, int]]:
    """For each segment of the input the digest of all input up to it, and its tokens."""
    chain, listed = hashlib.sha256(), []
    for segment in segments:
        text = json.dumps(plain(segment), sort_keys=True)
        chain.update(text.encode() + b"\n")
        listed.append((chain.hexdigest(), tokens(text)))
    return listed


def automatic_cache(asked: Asked, segments: Sequence[object]) -> tuple[int, int]:
    """All input tokens, and those of them that an earlier request had as its beginning. Remembers this one."""
    total = cached = 0
    for prefix, size in sizes(segments):
        total += size
        place = (asked.account, asked.model.id, prefix)
        if place in asked.memory.cached and total >= asked.model.cache_minimum:
            cached = total
        asked.memory.cached[place] = total
    return total, cached


def thought_tokens(play: Play, effort: str) -> int:
    """More for more effort, none where the model does not think."""
    factors = {"none": 0, "": 1, "minimal": 1, "low": 2, "medium": 3, "high": 4, "xhigh": 5, "max": 6}
    return factors[effort] * tokens(play.thinking)


def cut(play: Play, thinking: int, limit: int | None) -> tuple[Play, int, int, bool]:
    """The play within a limit of output: what is left of it, its thinking and visible tokens, whether it was cut."""
    visible = tokens(play.text or play.refusal)
    visible += sum(tokens(name + json.dumps(arguments)) for name, arguments in play.calls)
    if limit is None or thinking + visible <= limit:
        return play, thinking, visible, False
    left = max(0, limit - thinking)
    return Play(text=play.text[: 4 * left], thinking=play.thinking), min(thinking, limit), left, True


def listed(values: Sequence[str]) -> str:
    """'a', 'b', and 'c'."""
    quoted = [f"'{value}'" for value in values]
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + f", and {quoted[-1]}"


def check_effort(model: Model, effort: object, param: str) -> None:
    """OpenAI's refusals of an effort."""
    if not model.reasons:
        raise Refused(
            f"Unsupported parameter: '{param}' is not supported with this model.",
            param=param,
            code="unsupported_parameter",
        )
    if effort not in model.efforts:
        raise Refused(
            f"Unsupported value: '{param}' does not support '{effort}' with this model. "
            f"Supported values are: {listed(model.efforts)}.",
            param=param,
            code="unsupported_value",
        )


def check_temperature(asked: Asked, effort: str) -> None:
    """The refusals of temperature and top_p, outside the Messages interface."""
    rule = asked.model.temperature
    for name in ("temperature", "top_p"):
        value = asked.body.get(name)
        if value is None:
            continue
        if rule == "none" or (rule == "without effort" and effort != "none"):
            raise Refused(f"Unsupported parameter: '{name}' is not supported with this model.", param=name)
        if rule == "only 1" and name == "temperature" and value != 1:
            raise Refused("invalid temperature: only 1 is allowed for this model")
        if not asked.model.temperature_advice:
            asked.remark(f"{name} was sent to a model that should get none")


def check_tier(model: Model, tier: object) -> str:
    """The tier that answers."""
    if tier is None:
        return "default"
    if tier not in dict(model.tiers):
        raise Refused(f"Invalid service_tier argument: '{tier}' is not available for this model.", param="service_tier")
    return "default" if tier == "auto" else str(tier)


def check_known(body: dict, fields: Iterable[str]) -> None:
    """OpenAI's refusal of fields that the interface does not have."""
    unknown = sorted(set(body) - set(fields))
    if unknown:
        raise Refused(f"Unknown parameter: '{unknown[0]}'.", param=unknown[0], code="unknown_parameter")
    if body.get("stream"):
        raise Refused("The emulator does not stream.", param="stream")
