"""The game of an episode in its present state, and what a seat did in one of its periods."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from threading import Lock
from typing import Any

from cachetools import LRUCache

from agents.llm import Reply, ToolCall, ToolResult
from agents.tools import READ, Notes, answer, first_period, tool_named
from environments.actions import parse_flat_dict
from environments.base import Environment, Instance, Outcome, ToolError
from environments.generation import RANKED, Recipe
from environments.registry import GENERATION
from environments.survey import Survey
from runs.engine.journal import BaselineJournal
from runs.engine.period import converse
from runs.engine.players import baseline_llm
from runs.engine.writing.entries import PlayedPeriod
from runs.episodes.models import Episode, JournalEntry, Seat
from runs.episodes.notes import periods_read, written_notes
from runs.episodes.secrets import instance_key, season_secret
from runs.models import Exchange, ExchangeState, Period, Run
from runs.rebuilding import begun, stored_results

CACHED = 64
"""Most games that a process keeps in memory, about 0.1 MB each. Others are read from the database."""

_cache: LRUCache[tuple[int, datetime], "Position"] = LRUCache(CACHED)
_lock = Lock()


@dataclass(frozen=True)
class Position:
    """The instance of an episode and its outcomes so far. Outcomes never change."""

    problem: Instance
    outcomes: tuple[Outcome, ...] = ()


def sealed_problem(secret: bytes, derivation_path: str, environment: str, difficulty: str) -> Instance:
    """Draw a sealed instance. Its reference is included only if its environment computes it quickly."""
    settings = dict(GENERATION[environment].difficulties[difficulty])
    recipe = Recipe(environment, difficulty, instance_key(secret, derivation_path), RANKED, settings)
    return GENERATION[environment].drawn(recipe, with_reference=False)


def problem_of(episode: Episode) -> Instance:
    """The instance of an episode. It is drawn from the season's secret while the episode is sealed."""
    instance = episode.played_run.instance
    if episode.entry is None or not instance.is_sealed:
        return instance.as_problem()
    secret = season_secret(episode.entry.season)
    problem = sealed_problem(secret, episode.derivation_path, episode.environment, episode.difficulty)
    return replace(problem, reference=episode.reference or problem.reference)


def opening_of(episode: Episode) -> Environment:
    """The game before its first period, for example to read its seats and tools. The reference may be missing."""
    return begun(episode.played_run, problem=problem_of(episode))


def game_of(episode: Episode, periods: int | None = None) -> Environment:
    """The game after its first `periods` periods, by default after all played ones. The episode must be prepared."""
    count = episode.periods_played if periods is None else periods
    # The id alone is not enough: after a backup is restored, another episode may get it.
    key = (episode.pk, episode.opened_at)
    with _lock:
        position = _cache.get(key)
    if position is None or len(position.outcomes) < count:
        position = _read_position(episode, position)
    with _lock:
        if episode.ending:
            _cache.pop(key, None)
        else:
            _cache[key] = position
    return begun(episode.played_run, position.outcomes[:count], position.problem)


def _read_position(episode: Episode, position: Position | None) -> Position:
    """The position after all played periods. The outcomes of a ranked episode are computed again from its journal."""
    position = position or Position(problem_of(episode))
    first = len(position.outcomes)
    if episode.entry is None:
        rows = Period.objects.filter(run=episode.run, index__gte=first)
        return replace(position, outcomes=(*position.outcomes, *(row.as_outcome() for row in rows)))
    game = begun(episode.played_run, position.outcomes, position.problem)
    seats = list(episode.seats.all())
    for period in range(first, episode.periods_played):
        entries = actions_of(seats, period)
        game.step(game.joint_action({name: action_of(game, entry) for name, entry in entries.items()}))
    return replace(position, outcomes=tuple(game.outcomes))


def actions_of(seats: Sequence[Seat], period: int) -> dict[str, JournalEntry]:
    """The actions in a period, by seat name."""
    names = {seat.pk: seat.name for seat in seats}
    rows = JournalEntry.objects.filter(seat__in=names, period=period, is_action=True)
    return {names[row.seat_id]: row for row in rows}


# What a seat may do


def call_of(
    game: Environment, seat: str, notes: Notes, name: str, arguments: dict[str, Any]
) -> tuple[str, dict[str, Any] | None]:
    """The answer to a tool call as text; for the history tool also its data. Raises ToolError."""
    tool = tool_named(game, name, seat)
    if name == game.action_tool:
        raise ToolError(f"{name} is the action of the period; it is sent as the action, not as a call.")
    if name != game.history_tool:
        return answer(game, notes, seat, tool, arguments), None
    since = first_period(game, arguments)
    return game.history(seat, since), {"periods": [game.observed(outcome, seat) for outcome in game.outcomes[since:]]}


def parsed_action(game: Environment, seat: str, raw: object) -> dict[str, Any]:
    """The action of a seat in the form that the journal stores; for a survey, the answers by question. Raises ToolError."""
    if not isinstance(game, Survey):
        return game.parse_action(raw, seat)
    submitted = parse_flat_dict(raw, game.action_argument)
    keys = [question.key for question in game.questions()]
    if unknown := [key for key in submitted if key not in keys]:
        raise ToolError(f"There is no question {unknown[0][:40]!r}; the questions are {keys[0]} to {keys[-1]}.")
    if missing := [key for key in keys if key not in submitted]:
        raise ToolError(f"Every question needs an answer; missing: {', '.join(missing)}.")
    answers = {key: str(submitted[key]).strip().upper() for key in keys}
    if wrong := [key for key in keys if answers[key] not in ("A", "B")]:
        raise ToolError(f"The answer to question {wrong[0]} must be A or B.")
    return answers


def action_of(game: Environment, entry: JournalEntry) -> dict[str, Any]:
    """Convert the action of a journal entry to the form that the environment expects."""
    return as_action(game, *entry.arguments.values())


def as_action(game: Environment, parsed: dict[str, Any]) -> dict[str, Any]:
    """The action for the environment, from the result of `parsed_action`."""
    if not isinstance(game, Survey):
        return dict(parsed)
    answers = {q.key: game.read_answer(q, f"<answer>{parsed[q.key]}</answer>") for q in game.questions()}
    return game.tally(answers)


# What happened in a period


def played_period(
    episode: Episode, game: Environment, seats: Mapping[str, Seat], period: int, seconds: float
) -> PlayedPeriod:
    """Step the game with the actions of all seats. Returns outcome, exchanges and notes in the form that a worker stores."""
    run = episode.played_run
    actions: dict[str, dict[str, Any]] = {}
    exchanges: list[Exchange] = []
    notes: list[tuple[str, int, str]] = []
    for name in game.seats:
        if name in seats:
            rows = list(JournalEntry.objects.filter(seat=seats[name], period=period))
            actions[name] = action_of(game, rows[-1])
            pad = written_notes(seats[name], periods_read(game, name, rows) - {period})
            exchanges += _exchanges(run, game, name, rows, pad)
            notes += [(name, order, text) for order, text in enumerate(pad.by_period.get(period, []))]
        else:
            agent = run.agent_in(name)
            client = baseline_llm(agent, game, name, run.repeat)
            journal = BaselineJournal(run.pk, run.fence, period, name, client, agent)
            actions[name] = converse(game, journal, Notes(), name)
            exchanges += journal.replied.values()
    return PlayedPeriod(game.step(game.joint_action(actions)), exchanges, notes, seconds)


def _exchanges(run: Run, game: Environment, seat: str, rows: list[JournalEntry], pad: Notes) -> list[Exchange]:
    """Convert a seat's journal of one period into exchanges: one for each call, or for each question of a survey.

    pad: the earlier notes; the notes of this period are added to it
    """
    shared = {
        "run_id": run.pk,
        "fence": run.fence,
        "agent_id": run.agent_in(seat).pk,
        "seat": seat,
        "period_index": game.period,
        "attempt": 0,
        "state": ExchangeState.REPLIED,
    }
    if isinstance(game, Survey):
        (answers,) = rows[-1].arguments.values()
        return [
            Exchange(**shared, step=int(key), reply=Reply(text=f"<answer>{letter}</answer>", stop="end").as_json())
            for key, letter in answers.items()
        ]
    exchanges = []
    for step, row in enumerate(rows):
        call = ToolCall(f"call_{step}", row.tool, row.arguments)
        text = "Accepted." if row.is_action else call_of(game, seat, pad, row.tool, row.arguments)[0]
        results = stored_results([ToolResult(call.id, row.tool, text)], (game.history_tool, READ))
        played = {"reply": Reply(calls=(call,)).as_json(), "results": results, "created_at": row.created_at}
        exchanges.append(Exchange(**shared, step=step, **played))
    return exchanges
