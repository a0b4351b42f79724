"""Lists of games: those in play, and the history of a member, of all people or of outside agents."""

from typing import Any

from django.core.paginator import Page
from django.db.models import QuerySet

from accounts.models import Organization, User
from infrastructure.paging import TABLE_PAGE, PageNumber, paged
from pages.play.services.games import HUMAN
from runs.episodes.models import Ending, Episode
from runs.episodes.refusals import ending_of
from runs.episodes.services.playing import DEFERRED_COLUMNS
from runs.selectors.cells import game_title

OWN, PEOPLE, OUTSIDE = "own", "people", "outside"
LISTS = {OWN: "Your games", PEOPLE: "People", OUTSIDE: "Outside agents"}


def _kept_games(organization: Organization) -> QuerySet[Episode]:
    """Games whose run is not deleted, without the columns that only the page of a game needs."""
    rows = Episode.objects.filter(organization=organization, run__isnull=False, run__deleted_at=None)
    bulk = (name.removeprefix("episode__") for name in DEFERRED_COLUMNS)
    return rows.select_related("run__instance", "run__agent", "entry__season").defer(*bulk)


def open_games(*, organization: Organization, user: User) -> list[dict[str, Any]]:
    """The member's games in play, ordered by deadline, the earliest first."""
    rows = _kept_games(organization).filter(opened_by=user, harness__kind=HUMAN, ending=Ending.NONE)
    return [_game_row(episode, user) for episode in rows.order_by("period_due_at") if not ending_of(episode)]


def history_page(*, organization: Organization, user: User, kind: str, number: PageNumber) -> Page[dict[str, Any]]:
    """A page of games, newest first. kind: a key of LISTS. The own games are the ended ones; those in play stand above."""
    rows = _kept_games(organization).order_by("-id")
    rows = rows.exclude(harness__kind=HUMAN) if kind == OUTSIDE else rows.filter(harness__kind=HUMAN)
    if kind == OWN:
        rows = rows.filter(opened_by=user).exclude(ending=Ending.NONE)
    return paged(rows, TABLE_PAGE, number, lambda episode: _game_row(episode, user))


def _game_row(episode: Episode, user: User) -> dict[str, Any]:
    """A row of a list. is_own: whether the reader plays the game in the browser

    label: the instance of a game; for a sealed one the season and the number of the game in its entry
    """
    run, entry, ending = episode.played_run, episode.entry, ending_of(episode)
    label = run.instance.numbered
    if entry is not None:
        label = f"{entry.season.name}, game {episode.place + 1} of {entry.episode_count}"
    css = "open" if not ending else "finished" if ending == Ending.FINISHED else "cancelled"
    return {
        "episode": episode,
        "run": run,
        "title": game_title(episode.environment, episode.difficulty),
        "label": label,
        "state": ending.label,
        "css": css,
        "is_own": episode.opened_by_id == user.pk and episode.harness.get("kind") == HUMAN,
    }
