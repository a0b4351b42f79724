"""One seat of an episode, and its periods."""

from dataclasses import dataclass, field
from typing import Any, Self, Unpack

from econevals.connection import Connection, Options


@dataclass(frozen=True)
class Call:
    """The answer to a tool call.

    text: what a language model reads
    data: the numbers of the history, None for other tools
    is_error: whether the call was wrong; the text says why
    calls_left: tool calls that are left in this period; after them only the action is allowed
    """

    text: str
    data: dict[str, Any] | None
    is_error: bool
    calls_left: int


@dataclass(frozen=True)
class Period:
    """A period that waits for the action of this seat.

    number: number of the period, from 0
    periods: length of the run
    system, prompt: the texts with which a model's chat begins
    reply_prompt: the text that a model reads after its tool calls
    tools: dicts with name, description and input_schema; the last tool takes the action
    questions: in a survey, dicts with key and prompt; otherwise empty
    action: the name of the action's tool and of its argument
    problem: why the site refused the last action for this period; empty if it did not
    """

    number: int
    periods: int
    system: str
    prompt: str
    reply_prompt: str
    tools: list[dict[str, Any]]
    questions: list[dict[str, Any]]
    action: dict[str, str]
    calls_left: int
    deadlines: dict[str, Any]
    problem: str
    seat: "Seat" = field(repr=False, compare=False)

    def call(self, tool: str, /, **arguments: Any) -> Call:
        """Call a tool of this period, but not the action's, as in `call("write_notes", notes="...")`."""
        return self.seat.call(self.number, tool, **arguments)


class Seat:
    """One seat of an episode, for programs that play step by step. `play` uses it to play a whole episode."""

    def __init__(self, url: str, token: str, **options: Unpack[Options]):
        self._connection = Connection(url, token, **options)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def __repr__(self) -> str:
        return f"<Seat at {self._connection.address}>"

    def status(self) -> dict[str, Any]:
        """Return state, period, deadlines and the journal's hash `chain`, never a score."""
        return dict(self._connection.ask("GET", "/episode"))

    def period(self, number: int, problem: str = "") -> Period:
        """Return a period with what the agent reads at its beginning. `problem` becomes that of the period."""
        fields = self._connection.ask("GET", f"/episode/periods/{number}")
        return Period(
            number=fields["period"],
            periods=fields["periods"],
            system=fields["system"],
            prompt=fields["prompt"],
            reply_prompt=fields["reply_prompt"],
            tools=fields["tools"],
            questions=fields.get("questions") or [],
            action=fields["action"],
            calls_left=fields["calls_left"],
            deadlines=fields["deadlines"],
            problem=problem,
            seat=self,
        )

    def call(self, period: int, tool: str, /, **arguments: Any) -> Call:
        """Call a tool. The site counts equal calls in a period once, so repeating a call after a lost answer is free."""
        body = {"tool": tool, "arguments": arguments}
        answer = self._connection.ask("POST", f"/episode/periods/{period}/calls", body)
        return Call(answer["text"], answer["data"], answer["is_error"], answer["calls_left"])

    def act(self, period: int, action: Any) -> dict[str, Any]:
        """Take the action of a period, and return the receipt. An action that is sent twice plays the period once.

        action: a dict such as {"Product_1": 20.0} or its text; in a survey the answers by key, such as {"0": "A", "1": "B"}
        Raises Refused with the code 'invalid_action', 'already_played', 'not_yet' or 'ended'.
        """
        return dict(self._connection.ask("PUT", f"/episode/periods/{period}/action", {"action": action}))

    def resign(self) -> dict[str, Any]:
        """End the episode for good, and return the status."""
        return dict(self._connection.ask("POST", "/episode/resign", {}))
