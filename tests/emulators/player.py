"""What the emulated model plays: a plain view of a request, and the moves that answer it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from tests.scripted_player import NOTES, ScriptedPlayer


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
    """Plays every environment validly: reads everything, then acts. A pure function of the view.

    one_by_one: makes one call in each reply; silent: the first so many replies have no call unless one is demanded
    dawdles: reads something again in so many replies before it acts, unless the action is demanded by its name
    """

    def __init__(self, *, one_by_one: bool = False, silent: int = 0, dawdles: int = 0) -> None:
        self._scripted = ScriptedPlayer()
        self._one_by_one, self._silent, self._dawdles = one_by_one, silent, dawdles

    def __call__(self, view: View) -> Play:
        seen = hashlib.sha256(repr(view).encode()).hexdigest()[:8]
        thinking = f"Chat {seen} has {len(view.results)} results; choose by rote."
        if view.tools and not view.forced and view.replies < self._silent:
            return Play(text=f"I think about reply {view.replies}.", thinking=thinking)
        if view.replies < self._dawdles and len(view.tools) > 1 and view.forced not in view.tools:
            getters = [name for name in view.tools[:-1] if name not in NOTES]
            return Play("I look again.", ((getters[view.replies % len(getters)], {}),), thinking)
        answer = self._scripted("anthropic", self._body(view), {})
        calls = tuple((name, dict(arguments)) for name, arguments in answer.calls)
        if self._one_by_one:
            made = {name for name, _ in view.results}
            calls = tuple(call for call in calls if call[0] not in made)[:1]
        text = answer.text or f"I call {' and '.join(name for name, _ in calls)}."
        return Play(text=text, calls=calls, thinking=thinking)

    def _body(self, view: View) -> dict:
        """The view as a request that the scripted player reads."""
        tools = (view.forced,) if view.forced in view.tools else view.tools
        prompt = next((text for role, text in view.messages if role == "user"), "")
        # Some servers have the prompt within the result. What a tool said first counts:
        # asked again, it may only say that it was asked before.
        first = dict(reversed([(name, text.partition("\n\nNow use")[0]) for name, text in view.results]))
        numbered = [(str(number), name, text) for number, (name, text) in enumerate(sorted(first.items()))]
        uses = [{"type": "tool_use", "id": number, "name": name} for number, name, _ in numbered]
        results = [{"type": "tool_result", "tool_use_id": number, "content": text} for number, _, text in numbered]
        replies = [{"role": "assistant", "content": uses if number == 0 else []} for number in range(view.replies)]
        opening = {"role": "user", "content": [{"type": "text", "text": prompt}]}
        return {
            "tools": [{"name": name} for name in tools],
            "messages": [opening, *replies, {"role": "user", "content": results}],
        }
