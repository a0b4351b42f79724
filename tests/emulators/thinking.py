"""Thinking in the Messages interface: its modes, and blocks that come back signed, whole and in their conversation."""

from __future__ import annotations

from collections.abc import Sequence

from tests.emulators.message_shape import blocks_of
from tests.emulators.player import Play
from tests.emulators.rules import Asked, Refused, digest, plain

KINDS = ("thinking", "redacted_thinking")
CONTROLS = "thinking-binding-controls-2026-08-01"
MEMBERS = {
    "adaptive": {"type", "display", "block_binding"},
    "enabled": {"type", "display", "block_binding", "budget_tokens"},
    "disabled": {"type"},
    "between_tools": {"type"},
}
LEAST_BUDGET = 1024


def mode(asked: Asked, effort: str) -> str:
    """The type of thinking that counts. Raises Refused."""
    card, given = asked.model.thinking, asked.body.get("thinking")
    assert card is not None
    if given is None:
        return card.default
    kind = given.get("type") if isinstance(given, dict) else None
    if kind not in MEMBERS:
        raise Refused(
            "thinking: Input tag does not match any of the expected tags: "
            "'adaptive', 'between_tools', 'disabled', 'enabled'"
        )
    if kind not in card.types:
        raise Refused(f"thinking.type.{kind} is not supported for this model")
    unknown = set(given) - MEMBERS[kind]
    if "block_binding" in given and CONTROLS not in asked.headers.get("anthropic-beta", ""):
        unknown.add("block_binding")
    if unknown:
        raise Refused(f"thinking.{kind}.{sorted(unknown)[0]}: Extra inputs are not permitted")
    if given.get("display") not in (None, "summarized", "omitted"):
        raise Refused(f"thinking.{kind}.display: Input should be 'summarized' or 'omitted'")
    if kind in ("disabled", "between_tools") and effort in card.not_off_at:
        raise Refused(f"thinking.type.{kind} cannot be combined with effort '{effort}' on this model")
    if kind == "enabled":
        _check_budget(given.get("budget_tokens"), asked.body["max_tokens"])
    return kind


def _check_budget(budget: object, limit: int) -> None:
    if not isinstance(budget, int):
        raise Refused("thinking.enabled.budget_tokens: Field required")
    if budget < LEAST_BUDGET:
        raise Refused("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
    if budget >= limit:
        raise Refused("`max_tokens` must be greater than `thinking.budget_tokens`.")


def prefix(asked: Asked, index: int, before: Sequence[dict]) -> str:
    """Names model, system, tools and all content before a block: `index` messages, and blocks of the next one."""
    card, body = asked.model.thinking, asked.body
    assert card is not None
    messages = [[message["role"], plain(blocks_of(message))] for message in body["messages"][:index]]
    system = plain(body.get("system"))
    if isinstance(system, str):
        system = [{"type": "text", "text": system}]
    account = asked.account if card.account_bound else ""
    return digest([account, system, plain(body.get("tools")), messages, [plain(block) for block in before]])


def blocks(asked: Asked, play: Play, rest: Play, kind: str, key: str) -> list[dict]:
    """The thinking blocks of an answer; those of text between calls have signatures that begin with T."""
    card = asked.model.thinking
    assert card is not None
    shown = (asked.body.get("thinking") or {}).get("display") or card.display
    made: list[dict] = []
    if kind in ("adaptive", "enabled"):
        made.append({"type": "thinking", "thinking": play.thinking, "signature": f"E{digest([key, play.thinking])}"})
    if card.text_as_thinking and rest.text and rest.calls and kind != "disabled":
        made.append({"type": "thinking", "thinking": rest.text, "signature": f"T{digest([key, rest.text])}"})
    return [block | {"thinking": block["thinking"] if shown == "summarized" else ""} for block in made]


def check(asked: Asked, kind: str) -> list[dict] | None:
    """Blocks that the model does not get to read; None without the header that asks for them. Raises Refused."""
    binding = (asked.body.get("thinking") or {}).get("block_binding") or {}
    drops = binding.get("prefix_mismatch_behavior") == "drop_block"
    dropped: list[dict] = []
    for index, message in enumerate(asked.body["messages"]):
        if message["role"] != "assistant":
            continue
        for number, block in enumerate(blocks_of(message)):
            if block["type"] not in KINDS:
                continue
            path = f"messages.{index}.content.{number}"
            reason = _mismatch(asked, index, path, block)
            if reason == "prefix_binding_mismatch" and not drops:
                raise Refused(
                    f"{path}: Invalid `signature` in `thinking` block. The block is bound to a different conversation. "
                    'Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
                )
            if reason:
                dropped.append({"type": "thinking_dropped", "path": path, "reason": reason})
        _check_complete(asked, index, blocks_of(message), kind)
    return dropped if CONTROLS in asked.headers.get("anthropic-beta", "") else None


def _mismatch(asked: Asked, index: int, path: str, block: dict) -> str:
    """Why the model does not read a block, "" if it does. Raises Refused for a forged one."""
    card = asked.model.thinking
    assert card is not None
    issued = asked.memory.by_id.get(str(block.get("signature") or block.get("data")))
    if issued is None or not any(plain(block) == plain(item) for item in issued.items):
        raise Refused(f"{path}: Invalid `signature` in `thinking` block")
    if issued.model != asked.model.id:
        return "model_binding_mismatch"
    changed = prefix(asked, index, ()) not in issued.prefixes
    return "prefix_binding_mismatch" if card.bound and changed else ""


def _check_complete(asked: Asked, index: int, content: list[dict], kind: str) -> None:
    """The blocks of an answer whose calls come back come back too, in their order."""
    calls = [block["id"] for block in content if block["type"] == "tool_use"]
    issued = next((asked.memory.by_id[call] for call in calls if call in asked.memory.by_id), None)
    if issued is None or issued.model != asked.model.id:
        return
    sent = [block["signature"] for block in issued.items if block["type"] == "thinking"]
    back = [block.get("signature") for block in content if block["type"] in KINDS]
    if not sent or back == sent:
        return
    path = f"messages.{index}.content.0"
    if back:
        raise Refused(
            f"{path}: `thinking` or `redacted_thinking` blocks in the assistant message cannot be modified. "
            "These blocks must remain as they were in the original response."
        )
    if kind == "enabled":
        raise Refused(
            f"{path}.type: Expected `thinking` or `redacted_thinking`, but found `{content[0]['type']}`. "
            "When `thinking` is enabled, a final `assistant` message must start with a thinking block."
        )
    if not asked.forgiven:
        raise Refused(f"{path}: the `thinking` blocks of this answer must be passed back unchanged.")
