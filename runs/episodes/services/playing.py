"""The requests of a seat: calls, actions, resignation. REST, MCP and the pages for people call these functions.

Every accepted call and action is a row of the seat's journal. A repeated request finds its row and gets the same
answer, so nothing is played twice if an answer was lost.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import reduce
from typing import Any

from django.utils import timezone

from environments.base import ToolError
from infrastructure.transactions import insert_many, lock_row, update_many, write_transaction
from runs.engine.exceptions import LeaseLost
from runs.engine.period import result_of
from runs.engine.writing.entries import PeriodEnd, write
from runs.episodes.game import actions_of, call_of, game_of, parsed_action, played_period
from runs.episodes.models import Ending, Episode, JournalEntry, Seat
from runs.episodes.notes import requested_notes
from runs.episodes.refusals import Code, SeatRefused, budget_check, refuse_period, size_of
from runs.episodes.services.ending import episode_end
from runs.models import Period, Run

MAX_CALLS = 40
"""Most calls of a seat in one period. After them only the action is accepted."""

FLAGGED_QUALITY, FLAGGED_BEFORE = 0.98, 10
"""An episode is flagged for review if one of its first FLAGGED_BEFORE periods exceeds FLAGGED_QUALITY: a leak is likely.
"""

RELATED = ("episode__run__instance", "episode__run__agent", "episode__entry__season")
DEFERRED_COLUMNS = (
    *(f"episode__run__instance__{name}" for name in ("parameters", "hidden", "reference")),
    *("episode__reference", "episode__run__metrics"),
)
CHANGING_COLUMNS = (
    *("period", "calls", "entries", "chain", "size", "period_size"),
    *(f"episode__{name}" for name in ("ending", "ended_at", "periods_played", "prepared_at", "moved_at")),
    *("episode__due_at", "episode__period_due_at", "episode__run__state"),
)
"""The columns of a seat, its episode and its run that change while the episode is in play."""

CONTENT_HASH = "episode__run__instance__content_hash"
NO_CALLS_LEFT = f"All {MAX_CALLS} calls of this period are used; only the action is left."


@dataclass(frozen=True)
class CallAnswer:
    """The answer to a call. `data` is the history as JSON, None for other tools."""

    text: str
    calls_left: int
    data: dict[str, Any] | None = None
    is_error: bool = False


@dataclass(frozen=True)
class Receipt:
    """The receipt of an action.

    next_period: None after the last period; replayed: whether an earlier request played this action
    """

    period: int
    next_period: int | None
    chain: str
    replayed: bool = False

    @property
    def done(self) -> bool:
        return self.next_period is None


def seat_call(*, seat: Seat, period: int, tool: str, arguments: dict[str, Any]) -> CallAnswer:
    """Answer a call in the current period. Wrong calls get an error as the answer and are not stored. Raises SeatRefused.

    The answer is computed before the transaction, to keep the lock short. If another call was accepted meanwhile, it is
    computed again. A repeated call writes nothing.
    """
    digest, size = _digest(period, tool, arguments), size_of(arguments)
    seat = _refreshed_seat(seat)
    while True:
        refuse_period(seat, period)
        is_known = JournalEntry.objects.filter(seat=seat, digest=digest).exists()
        left = MAX_CALLS - seat.calls
        try:
            if not is_known:
                if left <= 0:
                    raise ToolError(NO_CALLS_LEFT)
                budget_check(seat, size)
            game = game_of(seat.episode)
            text, data = call_of(game, seat.name, requested_notes(game, seat, tool, arguments), tool, arguments)
        except ToolError as error:
            return CallAnswer(str(error), left, is_error=True)
        if is_known:
            return CallAnswer(text, left, data)
        entries = seat.entries
        with write_transaction():
            seat = _locked_seat(seat)
            if seat.entries == entries:
                refuse_period(seat, period)
                seat.calls += 1
                _append(seat, period, tool, arguments, digest)
                return CallAnswer(text, MAX_CALLS - seat.calls, data)


def seat_act(*, seat: Seat, period: int, action: object) -> Receipt:
    """Accept the action of a period. Repeating the same action returns the same receipt. Raises SeatRefused.

    The action is parsed before the transaction, to keep the lock short.
    """
    seat = _refreshed_seat(seat)
    if period < seat.period:
        return _replayed_receipt(seat, period, action)
    refuse_period(seat, period)
    parsed = _parsed_action(seat, period, action)
    with write_transaction():
        seat = _locked_seat(seat)
        if period < seat.period:
            return _replayed_receipt(seat, period, action)
        refuse_period(seat, period)
        game = game_of(seat.episode)
        arguments = {game.action_argument: parsed}
        seat.period, seat.calls, seat.period_size = period + 1, 0, 0
        entry = _append(seat, period, game.action_tool, arguments, _digest(period, game.action_tool, arguments), True)
        seats = {other.name: other for other in seat.episode.seats.all()}
        if all(other.period > period for other in seats.values()):
            _end_period(seat.episode, seats, period)
        return _receipt(seat.episode, entry)


def seat_resign(*, seat: Seat) -> None:
    """End the episode without a score. Resigning again changes nothing."""
    episode_end(episode=seat.episode, ending=Ending.RESIGNED)


def _locked_seat(seat: Seat) -> Seat:
    """Lock the episode of a seat and read the seat again. The lock makes seats that act at the same time take turns."""
    lock_row(Episode, seat.episode_id)
    return _refreshed_seat(seat)


def _refreshed_seat(seat: Seat) -> Seat:
    """The seat and its episode in their current state.

    Usually only the columns that change during play are read. All columns are read if the run was deleted or revealed.
    """
    now = Seat.objects.values(*CHANGING_COLUMNS, CONTENT_HASH).get(pk=seat.pk)
    run = seat.episode.run
    if run is None or now[CONTENT_HASH] != run.instance.content_hash:
        return Seat.objects.select_related(*RELATED).defer(*DEFERRED_COLUMNS).get(pk=seat.pk)
    for path in CHANGING_COLUMNS:
        *way, name = path.split("__")
        setattr(reduce(getattr, way, seat), name, now[path])
    return seat


def _parsed_action(seat: Seat, period: int, action: object) -> dict[str, Any]:
    try:
        return parsed_action(game_of(seat.episode, period), seat.name, action)
    except ToolError as error:
        raise SeatRefused(Code.INVALID_ACTION, str(error)) from None


def _replayed_receipt(seat: Seat, period: int, action: object) -> Receipt:
    """The receipt of an action that was accepted before. Raises SeatRefused if the action differs from it."""
    entry = actions_of([seat], period)[seat.name]
    (argument,) = entry.arguments
    try:
        same = _digest(period, entry.tool, {argument: _parsed_action(seat, period, action)}) == entry.digest
    except SeatRefused:
        same = False
    if not same:
        raise SeatRefused(Code.ALREADY_PLAYED, f"Period {period} was played with another action.")
    return _receipt(seat.episode, entry, replayed=True)


def _receipt(episode: Episode, entry: JournalEntry, *, replayed: bool = False) -> Receipt:
    is_last = episode.ending == Ending.FINISHED and entry.period == episode.periods_played - 1
    return Receipt(entry.period, None if is_last else entry.period + 1, entry.chain, replayed)


def _append(
    seat: Seat, period: int, tool: str, arguments: dict[str, Any], digest: str, is_action: bool = False
) -> JournalEntry:
    chain = hashlib.sha256(f"{seat.chain} {digest}".encode()).hexdigest()
    entry = JournalEntry(
        seat=seat,
        number=seat.entries,
        period=period,
        is_action=is_action,
        tool=tool,
        arguments=arguments,
        digest=digest,
        chain=chain,
    )
    insert_many([entry])
    size = size_of(arguments)
    seat.entries, seat.chain, seat.size = seat.entries + 1, chain, seat.size + size
    seat.period_size += 0 if is_action else size
    columns = ("entries", "chain", "period", "calls", "size", "period_size")
    changed = (*(getattr(seat, column) for column in columns), seat.pk)
    update_many(Seat, ", ".join(f"{column} = %s" for column in columns), [changed])
    return entry


def _digest(period: int, tool: str, arguments: dict[str, Any]) -> str:
    """The digest of a journal entry: SHA-256 of period, tool and arguments as JSON with sorted keys."""
    content = json.dumps([period, tool, arguments], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(content.encode()).hexdigest()


def is_flagged(qualities: Sequence[float | None]) -> dict[str, bool]:
    """The key `flagged` of an episode's result: whether the quality of an early period is suspiciously high."""
    return {"flagged": max(quality or 0.0 for quality in qualities[:FLAGGED_BEFORE]) > FLAGGED_QUALITY}


def episode_score(run_id: int) -> None:
    """Copy the score of a run to its episode. Listener of `events.run_scored`, so the run got its score after its end."""
    run = Run.with_deleted.get(pk=run_id)
    result = {"reason": run.reason, "score": run.score, "solved": run.solved, "metrics": run.all_metrics}
    qualities = list(Period.objects.filter(run=run_id).values_list("quality", flat=True))
    Episode.objects.filter(run=run_id, ending=Ending.FINISHED).update(result=result | is_flagged(qualities))


def _end_period(episode: Episode, seats: dict[str, Seat], period: int) -> None:
    """Play the period with the actions of all seats. For a practice episode, store it with the run, as a worker would."""
    run = episode.played_run
    now = timezone.now()
    game = game_of(episode)
    finished_period = played_period(episode, game, seats, period, (now - episode.moved_at).total_seconds())
    episode.periods_played, episode.moved_at = game.period, now
    episode.period_due_at = min(episode.due_at, now + timedelta(seconds=episode.seconds_a_period))
    result = result_of(run, game)
    if game.finished:
        episode.ending, episode.ended_at = Ending.FINISHED, now
        episode.result = result | is_flagged([outcome.quality for outcome in game.outcomes])
    episode.save(update_fields=["periods_played", "moved_at", "period_due_at", "ending", "ended_at", "result"])
    if episode.is_ranked:
        type(run).objects.filter(pk=run.pk).update(periods_played=game.period, progressed_at=now)
        return
    end = PeriodEnd(run.pk, run.fence, finished_period, result)
    write([end])
    if end.refusal is not None:
        raise LeaseLost
