"""A dry episode: the requests that a plain agent would send, without a model. Prompts, tools and data are the game's own.

The plain agent reads all data and its last notes, then writes notes and takes a random valid action. It does so in two
ways: `together` makes all calls of a kind in one reply (two queries a period), `one_by_one` makes a single call in each
reply, as most models of the published logs do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agents.baselines.random_actions import CHOICES, Random
from agents.llm import Reply, Request, ToolCall
from agents.loop import PeriodChat
from agents.notes import READ, WRITE, Notes
from agents.survey import SurveyChat
from environments.base import Environment, Outcome, Tool
from environments.survey import Survey

PERIODS_PLAYED = 6
"""What one period adds to the history varies with the action; a few periods give its mean well enough."""

QUESTIONS_SAMPLED = 24
NO_NOTES = "No notes yet."
ANSWER = "<answer>A</answer>"


@dataclass(frozen=True)
class Query:
    """A request and what the plain agent replied to it."""

    request: Request
    reply: Reply


@dataclass(frozen=True)
class Chats:
    """The queries of one period of one seat, in both ways of making calls."""

    together: tuple[Query, ...]
    one_by_one: tuple[Query, ...]


@dataclass(frozen=True)
class Decision:
    """The action tool's argument, None where none is known, and the notes written about it."""

    argument: Any
    notes: str


@dataclass(frozen=True)
class Moment:
    """A game at the beginning of a period: what happened before, the notes, and what the agent is about to do."""

    outcomes: tuple[Outcome, ...]
    notes: dict[str, Notes]
    decisions: dict[str, Decision]


def rehearse(environment: Environment) -> list[Moment]:
    """Play the first periods of a game, and give the first, the second and the last of them.

    Only the first one where no random action is known for the environment.
    """
    notes = {seat: Notes() for seat in environment.seats}
    found: list[Moment] = []
    for period in range(min(PERIODS_PLAYED, environment.periods)):
        decisions = {seat: _decision(environment, seat) for seat in environment.seats}
        before = {seat: Notes(dict(written.by_period)) for seat, written in notes.items()}
        moment = Moment(tuple(environment.outcomes), before, decisions)
        # The last one so far makes room for the next.
        found = [*found[:2], moment]
        if any(decision.argument is None for decision in decisions.values()):
            break
        actions = {}
        for seat, decision in decisions.items():
            notes[seat].write(period, {"notes": decision.notes})
            actions[seat] = environment.parse_action(decision.argument, seat)
        if environment.step(environment.joint_action(actions)).ended:
            break
    return found


def chats(environment: Environment, moment: Moment, seat: str) -> Chats:
    """The chats of one seat in a period, in the wording of `environment`, which has the outcomes of the moment."""
    reading, acting = _calls(environment, seat, moment.decisions[seat])
    single = [[call] for call in (*reading, *acting)]
    return Chats(
        tuple(_queries(environment, seat, moment.notes[seat], [reading, acting])),
        tuple(_queries(environment, seat, moment.notes[seat], single)),
    )


def sampled_questions(survey: Survey) -> tuple[float, tuple[Query, ...]]:
    """Questions of a whole survey, and the queries of some of them, spread evenly over its periods."""
    asked = min(QUESTIONS_SAMPLED, survey.periods)
    numbers, queries = [], []
    for index in range(asked):
        ahead = index * survey.periods // asked
        pending = SurveyChat(survey, ahead).pending()
        numbers.append(len(pending))
        queries += [Query(request, Reply(text=ANSWER)) for _, request in (pending[0], pending[-1])]
    return sum(numbers) / asked * survey.periods, tuple(queries)


def _decision(environment: Environment, seat: str) -> Decision:
    if environment.name not in CHOICES:
        return Decision(None, NO_NOTES)
    player = Random(environment.instance, type(environment), seat, environment.variant)
    play = player.play(environment.period)
    notes = ""
    name, arguments = next(play)
    while name != environment.action_tool:
        if name == WRITE:
            notes = arguments["notes"]
        result = "" if name == WRITE else environment.call(name, seat)
        name, arguments = play.send(result)
    argument = arguments[environment.action_argument]
    return Decision(argument, f"{notes} {argument}")


def _calls(environment: Environment, seat: str, decision: Decision) -> tuple[list[ToolCall], list[ToolCall]]:
    """What reads, in the order of the tools; what writes notes and acts."""
    reading: list[ToolCall] = []
    acting: list[ToolCall] = []
    for tool in environment.tools(seat):
        number = f"call_{len(reading) + len(acting):024d}"  # as long as providers' ids
        if tool.name == READ:
            reading.append(ToolCall(number, READ, {_argument(tool): max(0, environment.period - 1)}))
        elif tool.name == WRITE:
            acting.append(ToolCall(number, WRITE, {"notes": decision.notes}))
        elif tool.name == environment.action_tool:
            acting.append(ToolCall(number, tool.name, {environment.action_argument: decision.argument}))
        else:
            reading.append(ToolCall(number, tool.name, {}))
    return reading, acting


def _argument(tool: Tool) -> str:
    (name,) = tool.input_schema["properties"]
    return str(name)


def _queries(environment: Environment, seat: str, notes: Notes, replies: list[list[ToolCall]]) -> Iterator[Query]:
    chat = PeriodChat(environment, Notes(dict(notes.by_period)), seat)
    for calls in filter(None, replies):
        reply = Reply(calls=tuple(calls))
        yield Query(chat.request(), reply)
        if all(call.name != environment.action_tool for call in calls):
            chat.receive(reply)
