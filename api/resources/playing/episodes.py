from typing import Annotated, Any

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Query

from api.auth import PLAY, ApiRequest
from api.protocol.errors import invalid
from api.protocol.operations import USUAL, Cursor, Id, IdempotencyKey, Limit, answers, once, page_of, resource
from api.schemas import episodes as shapes
from api.schemas.base import OneOf, Page
from environments.base import SINGLE_SEAT
from runs.episodes.models import Season
from runs.episodes.secrets import season_secret
from runs.episodes.selectors import episodes_of, journal_of, season_board, seasons_now
from runs.episodes.services.opening import Harness, practice_open, practice_prepare
from runs.episodes.services.seasons import entry_open, entry_prepare

router = resource("Episodes and seasons")
EPISODE = "/episodes/{int:episode_id}"
SeatName = Annotated[
    str, Query(description="The seat: `seat_0`, or `seat_1` in a market of two agents."), OneOf(("seat_0", "seat_1"))
]


@router.post(
    "/episodes",
    auth=PLAY,
    response=answers(shapes.OpenedOut | shapes.EntryOut, 201, has_409=True, body=True),
    summary="Open an episode, or enter a season",
)
def open_episode(request: ApiRequest, body: shapes.EpisodeIn, idempotency_key: IdempotencyKey = None) -> HttpResponse:
    """Practice opens one episode on a public instance. With `season`, the request opens a whole entry: one episode for each
    sealed instance of the season. Give each player only the token of its seat, which permits nothing but to play."""
    caller, harness = request.auth, Harness(**body.harness.model_dump())
    mcp = f"{settings.PUBLIC_URL}/mcp"
    if body.season is not None:
        season = get_object_or_404(Season, slug=body.season)
        return once(
            request,
            idempotency_key,
            shapes.EntryOut,
            lambda: entry_prepare(organization=caller.organization, user=caller.user, season=season, harness=harness),
            lambda prepared: shapes.EntryOut.values(
                *entry_open(organization=caller.organization, user=caller.user, prepared=prepared), mcp
            ),
        )
    return once(
        request,
        idempotency_key,
        shapes.OpenedOut,
        lambda: _practice(caller.organization, body, harness),
        lambda prepared: shapes.OpenedOut.of(
            practice_open(organization=caller.organization, user=caller.user, prepared=prepared), mcp
        ),
    )


def _practice(organization: Any, body: shapes.EpisodeIn, harness: Harness) -> Any:
    if body.environment is None or body.difficulty is None:
        raise invalid(
            {name: "This is needed." for name in ("environment", "difficulty") if getattr(body, name) is None}
        )
    return practice_prepare(
        organization=organization,
        harness=harness,
        rival=body.rival,
        environments=(body.environment,),
        difficulties=(body.difficulty,),
        seeds=(body.seed,),
        variants=(body.variant,),
        generator=body.generator,
        periods=body.periods,
        settings=body.settings or None,
    )


@router.get("/episodes", auth=PLAY, response=answers(Page[shapes.EpisodeOut], has_404=False), summary="List episodes")
def list_episodes(request: ApiRequest, limit: Limit = USUAL, cursor: Cursor = None) -> Any:
    """List episodes, newest first."""
    rows = episodes_of(organization=request.auth.organization)
    return page_of(request, rows, limit, cursor, shapes.EpisodeOut.values, newest=True)


@router.get(EPISODE, auth=PLAY, response=answers(shapes.EpisodeOut), summary="Get an episode")
def get_episode(request: ApiRequest, episode_id: Id) -> Any:
    return shapes.EpisodeOut.values(
        get_object_or_404(episodes_of(organization=request.auth.organization), pk=episode_id)
    )


@router.get(
    f"{EPISODE}/journal",
    auth=PLAY,
    response=answers(Page[shapes.JournalEntryOut], has_409=True),
    summary="Read the journal of a seat",
)
def get_journal(
    request: ApiRequest,
    episode_id: Id,
    seat: SeatName = SINGLE_SEAT,
    limit: Limit = USUAL,
    cursor: Cursor = None,
) -> Any:
    """Calls and actions in order, each with a hash of all earlier ones. Ranked journals open when their season is over."""
    episode = get_object_or_404(episodes_of(organization=request.auth.organization), pk=episode_id)
    return page_of(request, journal_of(episode, seat), limit, cursor, shapes.JournalEntryOut.from_row, by="number")


@router.get("/seasons", response=answers(Page[shapes.SeasonOut], has_404=False), summary="List seasons")
def list_seasons(request: ApiRequest, limit: Limit = USUAL, cursor: Cursor = None) -> Any:
    """List ranked competitions of the whole site that have opened, newest first."""
    return page_of(request, seasons_now(timezone.now()), limit, cursor, shapes.SeasonOut.from_row, newest=True)


@router.get("/seasons/{slug:season}", response=answers(shapes.SeasonWithBoard), summary="Get a season with its board")
def get_season(request: ApiRequest, season: str) -> Any:
    """Every entry of every organization. Entries are public, and none can be withdrawn."""
    current_season = get_object_or_404(seasons_now(timezone.now()), slug=season)
    secret = season_secret(current_season).hex() if current_season.revealed_at else None
    rows = season_board(current_season, reader=request.auth.organization)
    board = [shapes.BoardRow.from_row(row, row.entry, row.entry.season) for row in rows]
    return shapes.SeasonOut.from_row(current_season) | {"secret": secret, "board": board}
