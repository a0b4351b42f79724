"""Queries of the episode service: what a seat may see, an owner's episodes, seasons with their leaderboards."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, QuerySet

from accounts.models import Organization
from accounts.secrets import token_hash
from agents.tools import outside_tools
from environments.base import SINGLE_SEAT, Environment, Tool
from environments.registry import ENVIRONMENTS
from environments.survey import Question, Survey
from infrastructure.text.formats import counted
from runs.episodes.game import game_of
from runs.episodes.models import Ending, Entry, Episode, JournalEntry, Season, Seat
from runs.episodes.refusals import Code, SeatRefused, bytes_left, ending_of, refuse_period
from runs.episodes.secrets import TOKEN_PREFIX
from runs.episodes.services.playing import DEFERRED_COLUMNS, MAX_CALLS, RELATED
from runs.models import PlayerClass, Run

LONGEST_TOKEN = 100
SEAT_COLUMNS = (
    *("name", "period", "calls", "entries", "size", "period_size", "chain", "token_hash"),
    *(f"episode__{name}" for name in ("organization", "place", "environment", "difficulty", "ending", "prepared_at")),
    *(f"episode__{name}" for name in ("opened_at", "moved_at", "due_at", "period_due_at", "ended_at")),
    *(f"episode__{name}" for name in ("periods_played", "seconds_a_period", "protocol", "rules", "result")),
    *(f"episode__run__{name}" for name in ("variant", "reasoning", "periods", "prompt_version", "prompts", "rival")),
    *("episode__run__state", "episode__run__fence", "episode__run__deleted_at", "episode__run__agent__player_class"),
    *(f"episode__run__instance__{name}" for name in ("environment", "difficulty", "seed", "key", "generator")),
    *("episode__run__instance__settings", "episode__run__instance__content_hash"),
    *("episode__entry__number", "episode__entry__organization_key"),
    *(f"episode__entry__season__{name}" for name in ("slug", "name", "secret", "revealed_at")),
)
"""The columns that a request of a seat needs, a quarter of those of its five tables. Reading all would take longest."""


def seat_by_token(token: str) -> Seat | None:
    """The seat of an episode token. None for any other text, or if the run was deleted."""
    if not token.startswith(TOKEN_PREFIX) or len(token) > LONGEST_TOKEN:
        return None
    seats = Seat.objects.filter(token_hash=token_hash(token), episode__run__isnull=False, episode__run__deleted_at=None)
    return seats.select_related(*RELATED).only(*SEAT_COLUMNS).order_by().first()


@dataclass(frozen=True)
class Status:
    """What a seat may know of its episode. The score is left out, because players could use it as an oracle.

    state: 'preparing', 'open', 'waiting' while the other seat has not acted, or how the episode ended
    """

    seat: Seat
    state: str
    run: Run

    @property
    def calls_left(self) -> int:
        return MAX_CALLS - self.seat.calls

    @property
    def bytes_left(self) -> int:
        return bytes_left(self.seat)

    @property
    def title(self) -> str:
        return ENVIRONMENTS[self.run.instance.environment].title

    @property
    def seats(self) -> list[str]:
        return list(ENVIRONMENTS[self.run.instance.environment].seats_of(self.run.variant))


def seat_status(seat: Seat) -> Status:
    """The status of a seat. The run must not be deleted."""
    return Status(seat, state_of(seat.episode, seat), seat.episode.played_run)


def seat_refreshed(seat: Seat) -> Seat:
    """The same seat and its episode, after reading the columns again that an action or the end of the episode changes."""
    seat.refresh_from_db(fields=["period", "calls", "entries", "size", "period_size", "chain"])
    seat.episode.refresh_from_db(fields=["ending", "ended_at", "periods_played", "moved_at", "period_due_at"])
    return seat


def state_of(episode: Episode, seat: Seat | None = None) -> str:
    if ending := ending_of(episode):
        return str(ending)
    if episode.prepared_at is None:
        return "preparing"
    return "waiting" if seat is not None and seat.period > episode.periods_played else "open"


@dataclass(frozen=True)
class PeriodView:
    """What the player of a seat sees at the start of a period."""

    period: int
    periods: int
    system: str
    prompt: str
    reply_prompt: str
    tools: tuple[Tool, ...]
    questions: tuple[Question, ...]
    action_tool: str
    action_argument: str


def seat_period(seat: Seat, period: int) -> PeriodView:
    """The current period as the player of a seat sees it. Raises SeatRefused for any other period."""
    refuse_period(seat, period)
    return period_view(game_of(seat.episode), seat.name)


def period_view(game: Environment, seat: str = SINGLE_SEAT) -> PeriodView:
    """The next period of a game as the player of a seat sees it."""
    return PeriodView(
        period=game.period,
        periods=game.periods,
        system=game.system_prompt(seat),
        prompt=game.initial_prompt(seat),
        reply_prompt=game.reply_prompt(seat),
        tools=outside_tools(game, seat),
        questions=game.questions() if isinstance(game, Survey) else (),
        action_tool=game.action_tool,
        action_argument=game.action_argument,
    )


def episodes_of(*, organization: Organization) -> QuerySet[Episode]:
    rows = Episode.objects.filter(organization=organization).select_related(
        "run__instance", "run__agent", "entry__season"
    )
    return rows.prefetch_related("seats").defer(*(name.removeprefix("episode__") for name in DEFERRED_COLUMNS))


def games_by_opener(organization: Organization) -> dict[int, list[str]]:
    """Phrases on the games in play, by the id of the user who opened them. A listener of accounts.hooks.made_by_members."""
    rows = Episode.objects.filter(organization=organization, ending=Ending.NONE, opened_by__isnull=False)
    counts = rows.values_list("opened_by").annotate(Count("id")).order_by()
    return {user_id: [f"{counted(number, 'game,games')} in play (withdrawn)"] for user_id, number in counts}


def journal_of(episode: Episode, seat: str = SINGLE_SEAT) -> QuerySet[JournalEntry]:
    """The journal of a seat, oldest entry first. Raises SeatRefused for a ranked episode whose season is not revealed.

    If another seat is in play, the open period is left out, because that seat must not see the action before it acts.
    """
    if episode.entry is not None and episode.entry.season.revealed_at is None:
        raise SeatRefused(Code.CLOSED, "The journal of a ranked episode is shown once its season is over.")
    entries = JournalEntry.objects.filter(seat__episode=episode, seat__name=seat)
    is_shared = not ending_of(episode) and len(episode.seats.all()) > 1
    return entries.filter(period__lt=episode.periods_played) if is_shared else entries


@dataclass(frozen=True)
class EntryRow:
    """An entry on the leaderboard of its season.

    score: mean over all episodes of the entry, from 0 to 1; an unfinished episode counts as 0. None while an episode is
        in play. While the season is open, players could use the score as an oracle. So the own organization sees it
        rounded to hundredths, and others see None
    flagged: number of flagged episodes; 0 until the season is closed
    commitments: the commitments to the instances, in the order of the episodes
    """

    entry: Entry
    finished: int
    in_play: int
    score: float | None
    flagged: int
    commitments: list[str]

    @property
    def group(self) -> str:
        """The heading under which boards list the entry: the class of its player, or that it does not compete."""
        return "Out of competition" if self.entry.is_out_of_competition else self.entry.get_player_class_display()


def season_board(season: Season, *, reader: Organization) -> list[EntryRow]:
    """All entries, grouped by the declared class of the player, then the best first. In an open season: the earliest first.

    Entries out of competition are last.

    Makes three queries.
    """
    entries = season.entered.select_related("organization").prefetch_related("episodes__run")
    rows = [_entry_row(entry, list(entry.episodes.all()), season.is_open, reader) for entry in entries]

    def rank(row: EntryRow) -> tuple[Any, ...]:
        score = None if season.is_open else row.score
        group = row.entry.is_out_of_competition, PlayerClass.values.index(row.entry.player_class)
        return *group, score is None, -(score or 0.0), row.entry.opened_at

    return sorted(rows, key=rank)


def _entry_row(entry: Entry, episodes: list[Episode], season_is_open: bool, reader: Organization) -> EntryRow:
    episodes.sort(key=lambda episode: episode.place)
    in_play = sum(episode.in_play for episode in episodes)
    results: list[dict[str, Any]] = [episode.result or {} for episode in episodes if episode.ending == Ending.FINISHED]
    is_hidden = in_play > 0 or (season_is_open and entry.organization_id != reader.pk)
    scores = [result["score"] for result in results if result.get("score") is not None]
    score = None if is_hidden else sum(scores) / entry.episode_count
    return EntryRow(
        entry,
        finished=len(results),
        in_play=in_play,
        score=round(score, 2) if season_is_open and score is not None else score,
        flagged=0 if is_hidden or season_is_open else sum(bool(result.get("flagged")) for result in results),
        commitments=[episode.commitment for episode in episodes],
    )


def seasons_now(now: datetime) -> QuerySet[Season]:
    return Season.objects.filter(opens_at__lte=now)
