"""Reduce the conditions of a run to a short text. Runs are comparable if their texts are equal.

Pure functions over `Run.conditions`.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

KEY_LENGTH = 200

NOT_PLAY = ("summary",)
"""Modes of thinking that do not change how the model plays, only how much of its thinking a person may read."""

MARKS = ("changed", "accepted", "dropped_effort")
"""Keys in the conditions of a seat that describe the whole run, not only its last period."""


class SeatConditions(NamedTuple):
    """The conditions of one model that decide whether runs are comparable; see conditions_key."""

    wire: str
    forced: bool
    effort: str
    thinking: str
    with_temperature: bool
    model: str
    changed: bool
    dropped: str


def conditions_key(conditions: Mapping[str, Mapping[str, Any]]) -> str:
    """The canonical text of `Run.conditions`, empty if no conditions are recorded.

    Runs with different texts are not pooled. The text contains what may change the answers: wire format, forced
    tools, effort, mode of thinking, answering model, and whether a temperature is sent. It does not contain the output
    limit and the service tier. These affect only time and money, because a truncated reply is requested again. Seats
    with the same conditions appear once.
    """
    seats = list(dict.fromkeys(_seat(conditions[name]) for name in sorted(conditions)))
    if not seats:
        return ""
    text = json.dumps(seats, separators=(",", ":"))
    return text if len(text) <= KEY_LENGTH else hashlib.sha256(text.encode()).hexdigest()


def merged(earlier: Mapping[str, Any], sent: Mapping[str, Any]) -> dict[str, Any]:
    """Merge a period's conditions into those of its run. A seat with other conditions than before is marked as changed."""
    conditions = dict(earlier)
    for name, seat in sent.items():
        before = earlier.get(name, {})
        conditions[name] = dict(seat) | {mark: before[mark] for mark in MARKS if mark in before}
        if "wire" in before and _seat(before)._replace(changed=False, dropped="") != _seat(seat):
            conditions[name]["changed"] = True
    return conditions


def difference(key: str, usual: str) -> str:
    """Describe in words how the conditions of `key` differ from those of `usual`."""
    if (dropped := _dropped(key)) != (usually := _dropped(usual)):
        return f"effort {dropped or usually} was probably dropped{'' if dropped else ' in its other runs'}"
    if not key:
        return "how its model was asked is not recorded"
    if not usual:
        return "how the model of its other runs was asked is not recorded"
    seats, usual_seats = _seats(key), _seats(usual)
    parts = dict.fromkeys(part for pair in zip(seats, usual_seats, strict=False) for part in _parts(*pair))
    return ", ".join(parts) or "with other models or settings"


def describe(key: str) -> str:
    """Describe the conditions for a table: 'responses, tools forced, effort medium, gpt-6.2-sol-2026-11-17'."""
    return " / ".join(", ".join(_phrases(seat)) for seat in _seats(key))


def _seat(sent: Mapping[str, Any]) -> SeatConditions:
    thinking = sent.get("thinking", "")
    return SeatConditions(
        wire=sent.get("wire", ""),
        forced=bool(sent.get("forced", True)),
        effort=sent.get("effort", ""),
        thinking="" if thinking in NOT_PLAY else thinking,
        with_temperature="temperature" not in sent.get("left_out", ()),
        model=sent.get("model", ""),
        changed=bool(sent.get("changed", False)),
        dropped=sent.get("dropped_effort", ""),
    )


def _seats(key: str) -> list[SeatConditions]:
    """The seats of a key. Empty if only the hash of the key was stored."""
    return [SeatConditions(*seat) for seat in json.loads(key)] if key.startswith("[") else []


def _dropped(key: str) -> str:
    return ", ".join(dict.fromkeys(seat.dropped for seat in _seats(key) if seat.dropped))


def _phrases(seat: SeatConditions) -> list[str]:
    asked = [
        (seat.wire, True),
        ("tools forced" if seat.forced else "tools not forced", True),
        (f"effort {seat.effort}", seat.effort),
        (f"thinking {seat.thinking}", seat.thinking),
        ("temperature left out", not seat.with_temperature),
        (seat.model, seat.model),
        ("changed during the run", seat.changed),
    ]
    phrases = [(f"effort {seat.dropped} probably dropped", seat.dropped), *(asked if seat.wire else ())]
    return [phrase for phrase, holds in phrases if holds]


def _parts(seat: SeatConditions, usual: SeatConditions) -> list[str]:
    parts = {
        "model": f"{seat.model or 'an unnamed model'} answered instead of {usual.model or 'an unnamed model'}",
        "forced": "tools forced" if seat.forced else "tools not forced",
        "effort": f"effort {seat.effort or 'not set'} instead of {usual.effort or 'not set'}",
        "wire": f"wire format {seat.wire} instead of {usual.wire}",
        "thinking": f"thinking {seat.thinking or 'not asked for'} instead of {usual.thinking or 'not asked for'}",
        "with_temperature": "temperature set" if seat.with_temperature else "temperature left out",
        "changed": "asked in two ways within a run" if seat.changed else "asked in one way throughout",
    }
    return [part for name, part in parts.items() if getattr(seat, name) != getattr(usual, name)]
