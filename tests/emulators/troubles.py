"""Answers that stop or delay a run: odd servers, limits of rate and of money. Injected as refusals are."""

from __future__ import annotations

from tests.emulators.refusals import Refusal, anthropic_error, google_error, openai_error

ASKS_AGAIN = "tell the model, ask again, and count an invalid reply"
WAITS = "wait as long as the answer says, then ask again"
PAUSES = "pause for credit; never retry"
TRIES_FORM = "try the other form of the chat and keep it"

TOO_LARGE = (
    "'max_tokens' or 'max_completion_tokens' is too large: 8100. This model's maximum context length is 8192 tokens "
    "and your request has 252 input tokens (8100 > 8192 - 252). None"
)
FAILED_CALL = {
    "message": "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
    "type": "invalid_request_error",
    "code": "tool_use_failed",
    "failed_generation": "<function=get_product_ids></function>",
}
FLAGGED = {
    "code": 403,
    "message": "Your chosen model requires moderation and your input was flagged",
    "metadata": {"reasons": ["violence"]},
}
RETRY_INFO = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "32s"}]
NO_MESSAGE = {
    "id": "x",
    "choices": [],
    "usage": {"prompt_tokens": 269, "completion_tokens": 0, "total_tokens": 269},
}


def object_error(message: str, kind: str, code: int | str) -> dict:
    return {"object": "error", "message": message, "type": kind, "code": code}


ODD_SERVERS: tuple[Refusal, ...] = (
    Refusal("limit", "chat", 400, object_error(TOO_LARGE, "BadRequestError", 400), "send a smaller limit, or pause"),
    Refusal("failed-call", "chat", 400, {"error": FAILED_CALL}, ASKS_AGAIN),
    Refusal("no-call", "chat", 400, openai_error("Tool choice is required, but model did not call a tool"), ASKS_AGAIN),
    Refusal(
        "routed-call",
        "chat",
        502,
        {
            "error": {
                "message": "Provider returned error",
                "code": 502,
                "metadata": {"raw": '{"error": {"message": "Failed to call a function.", "code": "tool_use_failed"}}'},
            }
        },
        ASKS_AGAIN,
    ),
    Refusal(
        "call-of-ollama", "chat", 500, openai_error("error parsing tool call: raw='{\"a\":}', err=invalid"), ASKS_AGAIN
    ),
    Refusal("call-of-harmony", "chat", 500, openai_error("unexpected tokens remaining in message header"), ASKS_AGAIN),
    Refusal(
        "call-of-groq",
        "chat",
        400,
        openai_error(
            "tool call validation failed: parameters for tool submit did not match schema: errors: [`/x`: expected string]",
            code="tool_use_failed",
        ),
        ASKS_AGAIN,
    ),
    Refusal(
        "call-of-vllm",
        "chat",
        400,
        openai_error(
            "1 validation error for list[function-wrap[__log_extra_fields__()]] Invalid JSON: EOF while parsing"
        ),
        ASKS_AGAIN,
    ),
    Refusal("call-of-sglang", "chat", 400, openai_error("Failed to parse fc related info to json format!"), ASKS_AGAIN),
    Refusal(
        "call-of-xml", "chat", 500, openai_error("XML syntax error on line 3: element <function> closed"), ASKS_AGAIN
    ),
    Refusal("invalid-content", "chat", 422, openai_error("The model produced invalid content."), ASKS_AGAIN),
    Refusal(
        "call-with-200",
        "chat",
        200,
        {"error": FAILED_CALL, "usage": {"prompt_tokens": 269, "completion_tokens": 30, "total_tokens": 299}},
        f"{ASKS_AGAIN}; book it by its usage",
    ),
    Refusal(
        "user-after-tool",
        "chat",
        400,
        object_error("Unexpected role 'user' after role 'tool'", "invalid_request_message_order", "3230"),
        TRIES_FORM,
    ),
    Refusal(
        "order",
        "chat",
        400,
        object_error("Invalid message order", "invalid_request_message_order", "3230"),
        TRIES_FORM,
    ),
    Refusal(
        "alternate",
        "chat",
        400,
        object_error("After the optional system message, conversation roles must alternate", "BadRequestError", 400),
        TRIES_FORM,
    ),
    Refusal("follows", "chat", 500, openai_error("A user message may not follow tool outputs"), TRIES_FORM),
    Refusal("system-role", "chat", 400, object_error("System role not supported", "BadRequestError", 400), TRIES_FORM),
    Refusal("no-message", "chat", 200, NO_MESSAGE, "book it by its usage and ask again"),
    Refusal(
        "balance-with-200",
        "chat",
        200,
        {"choices": None, "base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}},
        f"{PAUSES}; book nothing and show the sentence",
    ),
    Refusal("flagged", "chat", 403, {"error": FLAGGED}, "pause this run only"),
    Refusal(
        "rate-with-200",
        "chat",
        200,
        {"error": {"code": 429, "message": "Rate limit exceeded"}},
        "read error.code as the status, and wait",
    ),
    Refusal(
        "malformed-call",
        "chat",
        200,
        {
            "id": "x",
            "choices": [{"index": 0, "message": {"role": "assistant"}, "finish_reason": "MALFORMED_FUNCTION_CALL"}],
            "usage": {"prompt_tokens": 269, "completion_tokens": 0, "total_tokens": 269},
        },
        "ask again at most 3 times with a hint, then count an invalid reply",
    ),
)
"""What compatible servers and routers answer."""

LIMITS: tuple[Refusal, ...] = (
    Refusal(
        "rate",
        "responses",
        429,
        openai_error("Rate limit reached", code="rate_limit_exceeded"),
        WAITS,
        {"retry-after": "2"},
    ),
    Refusal("rate-ms", "chat", 429, openai_error("Rate limit reached"), WAITS, {"retry-after-ms": "1500"}),
    Refusal(
        "rate-messages", "messages", 429, anthropic_error("Slow down", "rate_limit_error"), WAITS, {"retry-after": "2"}
    ),
    Refusal("rate-gemini", "chat", 429, google_error("Quota", 429, "RESOURCE_EXHAUSTED", details=RETRY_INFO), WAITS),
    Refusal("no-retry", "chat", 429, openai_error("Stop"), "do not retry", {"x-should-retry": "false"}),
    Refusal("quota", "responses", 429, openai_error("You exceeded your quota", code="insufficient_quota"), PAUSES),
    Refusal("credit", "responses", 429, openai_error("No credit left", code="credit_balance_exhausted"), PAUSES),
    Refusal(
        "spend",
        "messages",
        429,
        anthropic_error("Limit reached", "rate_limit_error", details={"error_code": "enforced_spend_limit_reached"}),
        PAUSES,
    ),
    Refusal(
        "contract",
        "messages",
        429,
        anthropic_error("Limit reached", "rate_limit_error", details={"error_code": "contract_spend_limit_reached"}),
        PAUSES,
    ),
    Refusal(
        "ramp",
        "messages",
        429,
        anthropic_error("Too steep", "rate_limit_error", details={"error_code": "ramp_limit_exceeded"}),
        WAITS,
    ),
    Refusal("on-hold", "messages", 400, anthropic_error("organization_on_hold"), "pause; a person must act"),
    Refusal("credit-gemini", "chat", 402, google_error("Pay first", 402, "FAILED_PRECONDITION"), PAUSES),
    Refusal("credit-openrouter", "chat", 402, {"error": {"message": "Insufficient credits", "code": 402}}, PAUSES),
    Refusal("slow-down", "responses", 503, openai_error("Slow down", code="slow_down"), WAITS),
    Refusal("overloaded", "messages", 529, anthropic_error("Overloaded", "overloaded_error"), WAITS),
    Refusal("no-flex", "responses", 429, openai_error("Resource Unavailable"), "wait; do not count it as our rate"),
    Refusal(
        "too-big",
        "messages",
        413,
        anthropic_error("Request too large", "request_too_large"),
        "pause: the chat is too long",
    ),
)
"""What limits of rate and of money answer."""

FAILED: tuple[Refusal, ...] = tuple(
    Refusal(
        f"failed-{code}",
        "responses",
        200,
        {
            "id": "resp_0",
            "object": "response",
            "status": "failed",
            "error": {"code": code, "message": "The response failed."},
            "output": [],
        },
        then,
    )
    for code, then in (
        ("server_error", "ask again"),
        ("rate_limit_exceeded", "ask again"),
        ("invalid_prompt", "a refusal; do not ask again"),
        ("bio_policy", "a refusal; do not ask again"),
        ("misalignment_policy_violation", "a refusal; do not ask again"),
    )
)
"""Responses whose status is "failed"."""
