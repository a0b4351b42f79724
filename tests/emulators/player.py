"""What the emulated model plays: a plain view of a request, and the moves that answer it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from tests.scripted_player import ScriptedPlayer


@dataclass(frozen=True)
class View:
    """A request, whichever the wire format.

    messages: (role, text) of users and of the model, in order; results: (tool, text) of all calls so far
    tools: names offered; forced: "" if no call is demanded, "any", or the name of the tool that must be called
    replies: how often the model has answered in this chat
    """

    system: str
    messages: tuple[tuple[str, str], ...]
    tools: tuple[str, ...]
    results: tuple[tuple[str, str], ...]
    forced: str
    replies: int


@dataclass(frozen=True)
class Play:
    """An answer: text, calls as (tool, arguments), the thinking before them, or a refusal instead of all this."""

    text: str = ""
    calls: tuple[tuple[str, dict], ...] = ()
    thinking: str = "Compare what was offered before choosing."
    refusal: str = ""


Player = Callable[[View], Play]


class RotePlayer:
    """Plays every environment validly: reads everything, then acts. A pure function of the view."""

    def __init__(self) -> None:
        self._scripted = ScriptedPlayer()

    def __call__(self, view: View) -> Play:
        tools = (view.forced,) if view.forced in view.tools else view.tools
        prompt = next((text for role, text in view.messages if role == "user"), "")
        uses = [{"type": "tool_use", "id": str(number), "name": name} for number, (name, _) in enumerate(view.results)]
        results = [
            {"type": "tool_result", "tool_use_id": str(number), "content": text}
            for number, (_, text) in enumerate(view.results)
        ]
        replies = [{"role": "assistant", "content": uses}, *({"role": "assistant", "content": []},) * view.replies]
        body = {
            "tools": [{"name": name} for name in tools],
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": prompt}]},
                *replies[: view.replies],
                {"role": "user", "content": results},
            ],
        }
        answer = self._scripted("anthropic", body, {})
        seen = hashlib.sha256(repr(view).encode()).hexdigest()[:8]
        calls = tuple((name, dict(arguments)) for name, arguments in answer.calls)
        text = answer.text or f"I call {' and '.join(name for name, _ in calls)}."
        return Play(text=text, calls=calls, thinking=f"Chat {seen} has {len(view.results)} results; choose by rote.")
