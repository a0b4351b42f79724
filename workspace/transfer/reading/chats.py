"""The chats of a logged period, and the seller in each chat.

The published code asks one seller after the other, with the same first prompt. A chat ends with a valid price. After
an invalid call the chat is dropped, and the same seller is asked again in a new chat.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeGuard, cast

from agents.llm import Reply, ToolCall, ToolResult
from agents.tools import READ, WRITE
from environments.actions import parse_flat_dict
from environments.base import Environment, ToolError
from workspace.transfer.reading.results import end_of_chat
from workspace.transfer.reading.times import CallTime

_CEILING = re.compile(r"not recommended to set any prices above (\d{1,12}(?:\.\d{1,12})?)")


@dataclass(frozen=True)
class Call:
    """A query with its period, seat, chat and step. dropped: the model's calls that the published code ignored"""

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
    """A chat. offer: the prices that ended it; None if it was dropped or replies are not read"""

    ceiling: float | None
    calls: list[Call] = field(default_factory=list)
    offer: dict[str, float] | None = None
    last_reply_read: bool = False


def ceiling_in(prompt: str) -> float | None:
    """The price ceiling that a prompt recommends."""
    match = _CEILING.search(prompt)
    return float(match[1]) if match else None


def accepted_prices(reply: Reply, environment: Environment, period: int) -> dict[str, float] | None:
    """The prices of a reply that the published code accepted: any amounts, for exactly the known products.

    None if it dropped the chat because of an earlier call of a notes tool.
    """
    for call in reply.calls:
        number = (call.arguments or {}).get("attempt_number")
        if (
            call.arguments is None
            or (call.name == WRITE and "notes" not in call.arguments)
            or (call.name == READ and (not _is_number(number) or number > period))
        ):
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
    """The calls of a period, with seat and chat number.

    prices: prices by seat, from the row that closes the period; None if the log ends before that row
    """
    first = len(chats) if len(environment.seats) == 1 else _chats_of_first(chats, prices)
    attempts: Counter[str] = Counter()
    for number, chat in enumerate(chats):
        seat = environment.seats[number >= first]
        if chat.last_reply_read and (prices is not None or number < len(chats) - 1):
            last, acted = chat.calls[-1], number in (first - 1, len(chats) - 1)
            if acted and last.dropped:
                # An action in this reply ended the period, so its calls were not dropped.
                last = replace(last, reply=replace(last.reply, calls=last.dropped), dropped=())
            chat.calls[-1] = replace(last, results=end_of_chat(last.reply, environment, seat, acted=acted))
        yield from (replace(call, seat=seat, attempt=attempts[seat]) for call in chat.calls)
        attempts[seat] += 1


def _chats_of_first(chats: Sequence[Chat], prices: Sequence[float] | None) -> int:
    """The number of chats with the first of two sellers. The chats with the second one follow."""
    ended = [number for number, chat in enumerate(chats) if chat.offer is not None]
    if prices is None:
        return ended[0] + 1 if ended else len(chats)
    # In a period with prices, the last chat belongs to the second seller, even if its offer cannot be read.
    ended = [number for number in ended if number < len(chats) - 1]
    fitting = [number for number in ended if list((chats[number].offer or {}).values()) == [prices[0]]]
    return max(1, (fitting or ended or [len(chats) - 2])[0] + 1)
