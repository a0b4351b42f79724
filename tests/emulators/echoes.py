"""What comes back in the Responses interface: each output item unchanged, in order, with its reasoning."""

from __future__ import annotations

from tests.emulators.rules import TOOL_NAME, Asked, Issued, Memory, Refused, digest, plain, without_nulls

PREFIXES = {"reasoning": "rs_", "message": "msg_", "function_call": "fc_"}
LOST = "reasoning of an earlier reply did not come back"


def prefix(body: dict, items: list[dict]) -> str:
    """Names all that comes before an item."""
    return digest([body.get("instructions"), *(plain(item) for item in items)])


def remember(memory: Memory, issued: Issued) -> None:
    """By ids, calls, sealed contents and texts."""
    for item in issued.items:
        names = [item["id"], item.get("call_id"), item.get("encrypted_content")]
        if "phase" in item:
            names.append(f"text {item['content'][0].get('text')}")
        memory.by_id |= {name: issued for name in names if name}


def check(asked: Asked, items: list[dict]) -> list[dict]:
    """The reasoning that the model does not get to read (`input_transformations`). Raises Refused."""
    ids = {item.get("id") for item in items if item.get("id")}
    removed: list[dict] = []
    latest = -1
    for index, item in enumerate(items):
        kind = item.get("type", "message")
        match kind:
            case "reasoning":
                latest = _check_reasoning(asked, items, index, latest)
                removed += _foreign(asked, items, index)
            case "function_call":
                _check_call(asked, item, index, ids)
            case "message":
                _check_message(asked, item, index, ids)
            case "function_call_output":
                if not isinstance(item.get("output"), str | list):
                    raise _missing(f"input[{index}].output")
            case _:
                raise Refused(f"Invalid value: '{kind}'.", param=f"input[{index}].type", code="invalid_value")
    _check_pairs(items)
    _check_order(asked, items)
    return removed


def _check_pairs(items: list[dict]) -> None:
    """Every call has its output after it, every output its call before it."""
    called: set[str] = set()
    answered: set[str] = set()
    for item in items:
        if item.get("type") == "function_call":
            called.add(item["call_id"])
        elif item.get("type") == "function_call_output":
            call_id = item.get("call_id")
            if call_id not in called:
                raise Refused(f"No tool call found for function call output with call_id {call_id}.", param="input")
            answered.add(call_id)
    if called - answered:
        raise Refused(f"No tool output found for function call {sorted(called - answered)[0]}.", param="input")


def _check_reasoning(asked: Asked, items: list[dict], index: int, latest: int) -> int:
    """The position of the answer that the item is of."""
    item, sealed = items[index], items[index].get("encrypted_content")
    if not asked.model.reasons:
        raise Refused("Reasoning input items can only be provided to a reasoning model.", param="input")
    issued = asked.memory.by_id.get(str(sealed or item.get("id")))
    if not sealed and not (issued and issued.stored):
        raise Refused(
            f"Item with id '{item.get('id')}' not found. Items are not persisted when `store` is set to false. "
            "Try again with `store` set to true, or remove this item from your input.",
            status=404,
            param="input",
        )
    if issued is None:
        raise _not_verified(sealed, "Encrypted content could not be decrypted or parsed.")
    original = issued.items[0]
    if item.get("id") != original["id"] or (item.get("summary") or []) != original["summary"]:
        raise _not_verified(sealed, "Encrypted content item_id did not match the target item id.")
    if issued.position <= latest:
        raise Refused(f"Item '{item['id']}' of type 'reasoning' is out of order.", param="input")
    following = issued.items[1]["id"] if len(issued.items) > 1 else None
    after = items[index + 1].get("id") if index + 1 < len(items) else None
    if following is None or after != following:
        raise Refused(
            f"Item '{item['id']}' of type 'reasoning' was provided without its required following item.", param="input"
        )
    return issued.position


def _foreign(asked: Asked, items: list[dict], index: int) -> list[dict]:
    """The note about a reasoning item of another account, model or conversation."""
    item = items[index]
    issued = asked.memory.by_id[str(item.get("encrypted_content") or item["id"])]
    reason = ""
    if issued.account != asked.account:
        reason = "organization_mismatch"
    elif issued.model != asked.model.id:
        reason = "model_mismatch"
    elif prefix(asked.body, items[:index]) not in issued.prefixes:
        reason = "prefix_mismatch"
    if reason in ("organization_mismatch", "model_mismatch") and asked.model.foreign_reasoning == "refused":
        raise _not_verified(item.get("encrypted_content"), f"Encrypted content: {reason}.")
    return [{"type": "reasoning", "id": item["id"], "action": "removed", "reason": reason}] if reason else []


def _check_call(asked: Asked, item: dict, index: int, ids: set) -> None:
    for name in ("call_id", "name", "arguments"):
        if not isinstance(item.get(name), str):
            raise _missing(f"input[{index}].{name}")
    if not TOOL_NAME.fullmatch(item["name"]):
        raise Refused(f"Invalid 'input[{index}].name': string does not match pattern.", param=f"input[{index}].name")
    _check_reply_item(asked, item, index, ids, str(item.get("id") or item["call_id"]))


def _check_message(asked: Asked, item: dict, index: int, ids: set) -> None:
    if item.get("role") not in ("user", "assistant", "system", "developer"):
        raise Refused(f"Invalid value: '{item.get('role')}'.", param=f"input[{index}].role", code="invalid_value")
    content = item.get("content")
    if not isinstance(content, str | list):
        raise _missing(f"input[{index}].content")
    if item["role"] != "assistant":
        return
    text = content if isinstance(content, str) else "".join(str(part.get("text")) for part in content)
    known = str(item.get("id") or f"text {text}")
    issued = asked.memory.by_id.get(known)
    original = next((i for i in issued.items if i["type"] == "message"), {}) if issued else {}
    if asked.model.phase and original and item.get("phase") != original.get("phase"):
        raise _missing(f"input[{index}].phase")
    _check_reply_item(asked, item, index, ids, known)


def _check_reply_item(asked: Asked, item: dict, index: int, ids: set, known: str) -> None:
    """An item that has its id comes unchanged and with its reasoning."""
    kind, issued = item.get("type", "message"), asked.memory.by_id.get(known)
    reasoning = issued.items[0] if issued and issued.items[0]["type"] == "reasoning" else None
    lost = reasoning is not None and reasoning["id"] not in ids
    if item.get("id"):
        begin, param = PREFIXES[kind], f"input[{index}].id"
        if not str(item["id"]).startswith(begin):
            expected = f"Expected an ID that begins with '{begin.rstrip('_')}'."
            raise Refused(f"Invalid 'input[{index}].id': '{item['id']}'. {expected}", param=param, code="invalid_value")
        if issued is None or without_nulls(item) not in issued.items:
            raise Refused(f"Item '{item['id']}' of type '{kind}' is not as it was sent.", param=f"input[{index}]")
        if lost and asked.model.needs_reasoning:
            assert reasoning is not None
            raise Refused(
                f"Item '{item['id']}' of type '{kind}' was provided without its required 'reasoning' item: "
                f"'{reasoning['id']}'.",
                param="input",
            )
    if lost and not asked.forgiven:
        asked.remark(LOST)


def _check_order(asked: Asked, items: list[dict]) -> None:
    """The items of one answer come in the order in which they were sent."""
    reached: dict[str, int] = {}
    for item in items:
        issued = asked.memory.by_id.get(str(item.get("id")))
        if issued is None:
            continue
        place = next(number for number, sent in enumerate(issued.items) if sent["id"] == item["id"])
        if place <= reached.get(issued.key, -1):
            raise Refused(f"Item '{item['id']}' is out of order or there twice.", param="input")
        reached[issued.key] = place


def _missing(path: str) -> Refused:
    return Refused(f"Missing required parameter: '{path}'.", param=path, code="missing_required_parameter")


def _not_verified(sealed: object, reason: str) -> Refused:
    return Refused(
        f"The encrypted content {str(sealed)[:8]}... could not be verified. Reason: {reason}",
        code="invalid_encrypted_content",
    )
