"""Refusals of November 2026 as data, to be injected with `Emulator.fault`, and what an adapter should do about each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

SWITCHES = "switch this model to Responses and keep the effort"
NAMES_EFFORTS = "tell the person with the list of efforts; never another effort silently"
SENDS_AUTO = "send tool_choice auto from now on, and record that tools are not forced"
LEAVES_TEMPERATURE = "leave the temperature out from now on, and say so on the agent"
THINKS_ADAPTIVELY = "send thinking adaptive"
DROPS_THINKING = "once: send the chat again without any thinking, reasoning or signatures"
LEAVES_THINKING = "leave thinking out, or send it enabled with a budget below max_tokens if reasoning was asked for"


@dataclass(frozen=True)
class Refusal:
    """One answer of a provider. `then` says in words what an adapter should do."""

    id: str
    wire: str
    status: int
    body: Any
    then: str
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def answer(self) -> tuple[int, Any, dict[str, str]]:
        """For `Emulator.fault`."""
        return self.status, self.body, self.headers


def openai_error(message: str, *, param: str | None = None, code: str | None = None) -> dict:
    return {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}}


def anthropic_error(message: str, kind: str = "invalid_request_error", **details: Any) -> dict:
    return {"type": "error", "error": {"type": kind, "message": message, **details}, "request_id": "req_1"}


def google_error(message: str, code: int = 400, status: str = "INVALID_ARGUMENT", **more: Any) -> list:
    return [{"error": {"code": code, "message": message, "status": status, **more}}]


EFFORT = "Unsupported value: '{}' does not support 'xhigh' with this model. Supported values are: 'low' and 'high'."
BOUND = (
    "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. "
    'Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
)
NOT_VERIFIED = "The encrypted content gAAA... could not be verified."
ROUTE = (
    "Function tools with reasoning_effort are not supported for gpt-5.6-sol in /v1/chat/completions. "
    "To use function tools, use /v1/responses or set reasoning_effort to 'none'."
)
NOT_SEALED = "Encrypted content is not supported with this model."

REFUSALS: tuple[Refusal, ...] = (
    Refusal("route", "chat", 400, openai_error(ROUTE, param="reasoning_effort"), SWITCHES),
    Refusal(
        "effort-responses",
        "responses",
        400,
        openai_error(EFFORT.format("reasoning.effort"), param="reasoning.effort", code="unsupported_value"),
        NAMES_EFFORTS,
    ),
    Refusal(
        "effort-chat",
        "chat",
        400,
        openai_error(EFFORT.format("reasoning_effort"), param="reasoning_effort", code="unsupported_value"),
        NAMES_EFFORTS,
    ),
    Refusal(
        "effort-messages",
        "messages",
        400,
        anthropic_error(
            "output_config.effort: the model does not support 'xhigh'. Supported values are: 'low', 'high'."
        ),
        NAMES_EFFORTS,
    ),
    Refusal(
        "forced-messages",
        "messages",
        400,
        anthropic_error("tool_choice forces tool use is not compatible with this model"),
        SENDS_AUTO,
    ),
    Refusal(
        "forced-thinking-messages",
        "messages",
        400,
        anthropic_error("Thinking may not be enabled when tool_choice forces tool use."),
        SENDS_AUTO,
    ),
    Refusal("forced-chat", "chat", 400, openai_error("deepseek-v4-pro does not support this tool_choice"), SENDS_AUTO),
    Refusal(
        "forced-thinking-chat",
        "chat",
        400,
        openai_error("tool_choice 'required' is incompatible with thinking enabled"),
        SENDS_AUTO,
    ),
    Refusal(
        "forced-bedrock", "chat", 400, openai_error("This model doesn't support toolConfig.toolChoice.any"), SENDS_AUTO
    ),
    Refusal(
        "forced-mode", "chat", 400, openai_error("Forced function calling is not supported (mode ANY)"), SENDS_AUTO
    ),
    Refusal(
        "forced-words",
        "messages",
        400,
        anthropic_error("Forced tool use is not supported when thinking is enabled"),
        SENDS_AUTO,
    ),
    Refusal("forced-501", "chat", 501, openai_error("tool_choice is not implemented"), SENDS_AUTO),
    Refusal(
        "temperature-messages",
        "messages",
        400,
        anthropic_error("`temperature` is deprecated for this model."),
        LEAVES_TEMPERATURE,
    ),
    Refusal(
        "temperature-one",
        "chat",
        400,
        openai_error("invalid temperature: only 1 is allowed for this model"),
        LEAVES_TEMPERATURE,
    ),
    Refusal(
        "temperature-responses",
        "responses",
        400,
        openai_error("Unsupported parameter: 'temperature' is not supported with this model.", param="temperature"),
        LEAVES_TEMPERATURE,
    ),
    Refusal(
        "adaptive",
        "messages",
        400,
        anthropic_error("thinking.type.adaptive is not supported for this model"),
        LEAVES_THINKING,
    ),
    Refusal(
        "enabled",
        "messages",
        400,
        anthropic_error("thinking.type.enabled is not supported for this model"),
        THINKS_ADAPTIVELY,
    ),
    Refusal(
        "disabled",
        "messages",
        400,
        anthropic_error("thinking.type.disabled is not supported for this model"),
        f"{THINKS_ADAPTIVELY}; on Sonnet 5.5 between_tools",
    ),
    Refusal("bound", "messages", 400, anthropic_error(BOUND), DROPS_THINKING),
    Refusal(
        "encrypted", "responses", 400, openai_error(NOT_VERIFIED, code="invalid_encrypted_content"), DROPS_THINKING
    ),
    Refusal("signature-corrupted", "chat", 400, google_error("Corrupted thought signature."), DROPS_THINKING),
    Refusal("signature-invalid", "chat", 400, google_error("Invalid thought signature."), DROPS_THINKING),
    Refusal("include", "responses", 400, openai_error(NOT_SEALED, param="include"), "leave include out"),
    Refusal(
        "summary",
        "responses",
        400,
        openai_error(
            "Your organization must be verified to generate reasoning summaries.",
            param="reasoning.summary",
            code="unsupported_value",
        ),
        "leave reasoning.summary out",
    ),
    Refusal(
        "forced-openrouter",
        "chat",
        404,
        {"error": {"message": "No endpoints found that support the provided 'tool_choice' value.", "code": 404}},
        f"{SENDS_AUTO}; not: the model is unknown",
    ),
)
"""The rows of what refusals teach, at least one for each sentence."""
