"""What is read from a log: the game, the periods, the model's replies, and the chats of a period with their sellers.

The published code asks one seller after the other, with the same first prompt. A chat ends with a valid price. After an
invalid call the chat is dropped, and the same seller is asked again in a new chat.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, TypeGuard, cast

from agents.llm import Reply, ToolCall, ToolResult
from agents.notes import READ, WRITE
from environments.base import Environment, Instance, ToolError
from environments.literals import parse_flat_dict
from environments.registry import ENVIRONMENTS
from workspace.transfer.reading.results import end_of_chat
from workspace.transfer.reading.times import CallTime, Times

_CEILING = re.compile(r"not recommended to set any prices above (\d{1,12}(?:\.\d{1,12})?)")


@dataclass(frozen=True)
class Call:
    """A query with its period, seat, chat and step. dropped: calls of the model that the published code ignored"""

    period: int
    seat: str
    attempt: int
    step: int
    reply: Reply
    results: tuple[ToolResult, ...] | None = None
    dropped: tuple[ToolCall, ...] = ()
    time: CallTime = (None, None)


@dataclass
class Chat:
    """offer: the prices that ended the chat; None if it was dropped or replies are not read"""

    ceiling: float | None
    calls: list[Call] = field(default_factory=list)
    offer: dict[str, float] | None = None
    last_reply_read: bool = False


def ceiling_in(prompt: str) -> float | None:
    """The price ceiling that a prompt recommends."""
    match = _CEILING.search(prompt)
    return float(match[1]) if match else None


def accepted_prices(reply: Reply, environment: Environment, period: int) -> dict[str, float] | None:
    """The prices of a reply that the published code accepted: any amount, for exactly the known products. None if it dropped
    the chat for an earlier call of a notes tool."""
    for call in reply.calls:
        if call.arguments is None or (call.name == WRITE and "notes" not in call.arguments):
            return None
        number = call.arguments.get("attempt_number")
        if call.name == READ and (not _is_number(number) or number > period):
            return None
        if call.name == environment.action_tool:
            try:
                prices = parse_flat_dict(call.arguments.get(environment.action_argument), environment.action_argument)
            except ToolError:
                return None
            names_all_products = prices.keys() == set(environment.instance.parameters["products"])
            return (
                cast(dict[str, float], prices) if names_all_products and all(map(_is_number, prices.values())) else None
            )
    return None


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def calls_with_seats(chats: Sequence[Chat], environment: Environment, prices: Sequence[float] | None) -> Iterator[Call]:
    """The calls of a period with seat and chat number.

    prices: by seat, from the row that closes the period; None if the log ends before it
    """
    first = len(chats) if len(environment.seats) == 1 else _chats_of_first(chats, prices)
    attempts: Counter[str] = Counter()
    for number, chat in enumerate(chats):
        seat = environment.seats[number >= first]
        is_open = prices is None and number == len(chats) - 1
        if chat.last_reply_read and not is_open:
            last, acted = chat.calls[-1], number in (first - 1, len(chats) - 1)
            if acted and last.dropped:
                # An action in this reply ended the period, so its calls were not dropped.
                last = replace(last, reply=replace(last.reply, calls=last.dropped), dropped=())
            chat.calls[-1] = replace(last, results=end_of_chat(last.reply, environment, seat, acted=acted))
        yield from (replace(call, seat=seat, attempt=attempts[seat]) for call in chat.calls)
        attempts[seat] += 1


def _chats_of_first(chats: Sequence[Chat], prices: Sequence[float] | None) -> int:
    """The number of leading chats that were held with the first of two sellers."""
    ended = [number for number, chat in enumerate(chats) if chat.offer is not None]
    if prices is None:
        return ended[0] + 1 if ended else len(chats)
    # A closed period has a chat with the second seller, even if it cannot be read.
    ended = [number for number in ended if number < len(chats) - 1]
    fitting = [number for number in ended if list((chats[number].offer or {}).values()) == [prices[0]]]
    return max(1, (fitting or ended or [len(chats) - 2])[0] + 1)


PARAMETERS, LOGS = "global_params.csv", "logs.csv"


@dataclass(frozen=True)
class LoggedGame:
    """The game by `global_params.csv`. `instance` lacks its reference if that is costly.

    facts: differences from our instance of the same seed and other facts: {label: text}
    """

    instance: Instance
    variant: str
    reasoning: bool
    periods: int
    model: str
    facts: dict[str, str] = field(default_factory=dict)
    claims: dict[str, float] = field(default_factory=dict)

    def environment(self, instance: Instance) -> Environment:
        return ENVIRONMENTS[instance.environment](
            instance, variant=self.variant, reasoning=self.reasoning, periods=self.periods
        )


@dataclass(frozen=True)
class Step:
    """A played period: the logged action, the logged results under our names, and the line.

    ceiling: the price ceiling that the model was told; None if the log does not say
    """

    action: dict[str, Any]
    recorded: dict[str, Any]
    location: str
    ceiling: float | None = None


@dataclass
class Log:
    """A log that was read. content_hash: of its bytes and of how they are read, which may depend on the folder's name. A log
    that was read wrongly under another name gets another hash."""

    folder: str
    game: LoggedGame
    model: str
    steps: list[Step] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    content_hash: str = ""
    played_at: datetime | None = None
    temperature: float | None = None
    prompts: dict[str, str] = field(default_factory=dict)
    evidence: str = ""
    unread_calls: int = 0
    queries: int = 0
    cut_line: int = 0
    times: Times = field(default_factory=Times)

    def sign(self, digest: Any) -> None:
        game = self.game
        text = f"{digest.hexdigest()} {game.variant} {game.reasoning} {game.periods}"
        self.content_hash = hashlib.sha256(text.encode()).hexdigest()

    @property
    def facts(self) -> dict[str, str]:
        """Facts besides the periods: {label: text}"""
        facts = dict(self.game.facts)
        if self.played_at and not self.times.first:
            facts["Begun"] = f"{self.played_at:%d %B %Y, %H:%M}, by the name of its folder"
        if self.cut_line:
            facts["Cut off"] = f"in the row that begins in line {self.cut_line} of {LOGS}; the rows before it are kept"
        if dropped := sum(len(call.dropped) for call in self.calls):
            facts["Calls beside a text"] = f"{dropped}, passed over by the published code, so they are left out here"
        if self.unread_calls:
            facts["Replies that could not be read"] = f"{self.unread_calls}"
        return facts
