"""A rehearsal: the requests of a simple agent, without a model. Used to estimate tokens.

The simple agent reads all data and its last notes, writes notes and takes a random valid action. There are two ways to make
the calls. `together` makes all calls of a kind in one reply, so that a period has two queries. `one_by_one` makes one call
in each reply, as most models in the published logs do.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from agents.baselines.random_actions import TOOL_ENVIRONMENTS, Random
from agents.baselines.reading import unwrapped
from agents.llm import Reply, Request, ToolCall
from agents.loop import PeriodChat
from agents.survey import SurveyChat
from agents.tools import WRITE, Notes
from environments.base import Environment, Outcome
from environments.survey import Survey

PERIODS_PLAYED = 6
"""Number of periods to play. They give the mean length of a period in the history, which varies with the action."""

QUESTIONS_SAMPLED = 24


class RehearsedQuery(NamedTuple):
    """A request and the reply of the simple agent."""

    request: Request
    reply: Reply


class Chats(NamedTuple):
    """The queries of one seat in one period: with many calls in a reply, and with one."""

    together: tuple[RehearsedQuery, ...]
    one_by_one: tuple[RehearsedQuery, ...]


class Decision(NamedTuple):
    """The argument of the action tool, None if unknown, and the notes about it."""

    argument: Any
    notes: str


class Moment(NamedTuple):
    """A game at the start of a period: earlier outcomes, notes, and the next decision of each seat."""

    outcomes: tuple[Outcome, ...]
    notes: dict[str, Notes]
    decisions: dict[str, Decision]


def rehearse(environment: Environment) -> list[Moment]:
    """Play the first periods of a game; return the moments before the first, the second and the last of them.

    Returns only the first moment if no random action is known for the environment.
    """
    notes = {seat: Notes() for seat in environment.seats}
    moments: list[Moment] = []
    for period in range(min(PERIODS_PLAYED, environment.periods)):
        decisions = {seat: _decision(environment, seat) for seat in environment.seats}
        before = {seat: Notes(dict(written.by_period)) for seat, written in notes.items()}
        # Keep the first two moments and replace the last one.
        moments = [*moments[:2], Moment(tuple(environment.outcomes), before, decisions)]
        if any(decision.argument is None for decision in decisions.values()):
            break
        actions = {}
        for seat, decision in decisions.items():
            notes[seat].write(period, {"notes": decision.notes})
            actions[seat] = environment.parse_action(decision.argument, seat)
        if environment.step(environment.joint_action(actions)).ended:
            break
    return moments


def chats(environment: Environment, moment: Moment, seat: str) -> Chats:
    """The chats of one seat in a period. `environment` must hold the outcomes of the moment."""
    reading, acting = _calls(environment, seat, moment.decisions[seat])
    single = [[call] for call in (*reading, *acting)]
    return Chats(
        *(tuple(_queries(environment, seat, moment.notes[seat], ways)) for ways in ([reading, acting], single))
    )


def sampled_questions(survey: Survey) -> tuple[float, tuple[RehearsedQuery, ...]]:
    """Return the number of questions of a whole survey, and a sample of queries spread evenly over its periods."""
    sample_size = min(QUESTIONS_SAMPLED, survey.periods)
    sample = [SurveyChat(survey, index * survey.periods // sample_size).pending() for index in range(sample_size)]
    requests = [request for pending in sample for _, request in (pending[0], pending[-1])]
    queries = tuple(RehearsedQuery(request, Reply(text="<answer>A</answer>")) for request in requests)
    return sum(map(len, sample)) / sample_size * survey.periods, queries


def _decision(environment: Environment, seat: str) -> Decision:
    if environment.name not in TOOL_ENVIRONMENTS:
        return Decision(None, "No notes yet.")
    play = Random(environment.instance, type(environment), seat, environment.variant).play(environment.period)
    notes, (name, arguments) = "", next(play)
    while name != environment.action_tool:
        notes = arguments.get("notes", notes)
        name, arguments = play.send("" if name == WRITE else unwrapped(environment.call(name, seat)))
    argument = arguments[environment.action_argument]
    return Decision(argument, f"{notes} {argument}")


def _calls(environment: Environment, seat: str, decision: Decision) -> tuple[list[ToolCall], list[ToolCall]]:
    """Return the calls that read data, in the order of the tools, and the calls that write notes and act."""
    last_period = max(0, environment.period - 1)
    acting = {
        WRITE: {"notes": decision.notes},
        environment.action_tool: {environment.action_argument: decision.argument},
    }
    calls = []
    for index, tool in enumerate(environment.tools(seat)):
        # Of the other tools, only that for reading notes has an argument.
        arguments = acting.get(tool.name) or dict.fromkeys(tool.input_schema["properties"], last_period)
        calls.append(ToolCall(f"call_{index:024d}", tool.name, arguments))  # as long as providers' ids
    return [call for call in calls if call.name not in acting], [call for call in calls if call.name in acting]


def _queries(
    environment: Environment, seat: str, notes: Notes, replies: list[list[ToolCall]]
) -> Iterator[RehearsedQuery]:
    chat = PeriodChat(environment, Notes(dict(notes.by_period)), seat)
    for calls in filter(None, replies):
        reply = Reply(calls=tuple(calls))
        yield RehearsedQuery(chat.request(), reply)
        if all(call.name != environment.action_tool for call in calls):
            chat.receive(reply)


def prompt_texts(environment: Environment, last: Environment) -> list[tuple[str, str]]:
    """(title, text) of each prompt that an agent reads. For a survey, the first question in each order of its options.

    last: the same environment with a single period, for the texts of the last period
    """
    if isinstance(environment, Survey):
        prompts: dict[bool, str] = {}
        ahead = 0
        while len(prompts) < 2 and (questions := environment.questions(ahead)):
            prompts = {question.flipped: question.prompt for question in questions} | prompts
            ahead += 1
        return [
            ("Question in reverse order" if flipped else "Question", prompts[flipped]) for flipped in sorted(prompts)
        ]
    labels, first, final = environment.prompts.labels, environment.initial_prompt(), last.initial_prompt()
    texts = [(labels["system"], environment.system_prompt()), (labels["initial"], first)]
    texts += [("First prompt of the last period", final)] if final != first else []
    return [*texts, (labels["reply"], environment.reply_prompt())]
