"""Where members play: games to go on with, a new game, studies, and seasons with their boards."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.guards import VIEWER, editor_required
from accounts.pages.form_pages import submit
from accounts.pages.requests import MemberRequest
from environments.registry import ENVIRONMENTS, GENERATION
from pages.play.forms import OwnGameForm
from pages.play.selectors import open_games, studies
from pages.play.services.games import HUMAN, game_open
from runs.episodes.models import RULES, Season
from runs.episodes.refusals import SeatRefused
from runs.episodes.secrets import season_secret
from runs.episodes.selectors import season_board, seasons_now
from runs.episodes.services import Harness, entry_open, entry_prepare

SEASONS_SHOWN = 5


@require_http_methods(["GET", "HEAD", "POST"])
def play(request: MemberRequest) -> HttpResponse:
    """What there is to play. A posted form begins a game."""
    posted = request.method == "POST"
    if posted and not request.membership.may_edit:
        raise PermissionDenied(VIEWER)
    form = OwnGameForm(request.organization, request.POST if posted else None)
    if posted:
        who = {"organization": request.organization, "user": request.user, "name": request.user.shown_name[:60]}
        if seats := submit(form, game_open, **who):
            return redirect("play:own-game", seats[0].episode_id)
    context = {
        "form": form,
        "games": open_games(organization=request.organization, user=request.user),
        "studies": studies(organization=request.organization),
        "seasons": seasons_now(timezone.now())[:SEASONS_SHOWN],
    }
    return render(request, "pages/play/play.html", context, status=422 if posted else 200)


@require_safe
def seasons(request: MemberRequest) -> HttpResponse:
    """Every season that has opened, the newest first."""
    return render(request, "pages/play/seasons.html", {"seasons": list(seasons_now(timezone.now()))})


@require_safe
def season_detail(request: MemberRequest, slug: str) -> HttpResponse:
    season = _season(slug)
    context = {
        "season": season,
        "rules": RULES,
        "kinds": [
            (
                ENVIRONMENTS[name].title,
                [level for level in season.difficulties if level in GENERATION[name].difficulties],
            )
            for name in season.environments
        ],
        "board": season_board(season, reader=request.organization),
        "secret": season_secret(season).hex() if season.revealed_at else "",
    }
    return render(request, "pages/play/season.html", context)


@editor_required
@require_POST
def enter(request: MemberRequest, slug: str) -> HttpResponse:
    """Open an entry that the member plays in the browser."""
    season = _season(slug)
    harness = Harness(HUMAN, request.user.shown_name[:60])
    try:
        prepared = entry_prepare(organization=request.organization, user=request.user, season=season, harness=harness)
        entry_open(organization=request.organization, user=request.user, prepared=prepared)
    except (SeatRefused, ValidationError) as error:
        messages.error(request, error.sentence if isinstance(error, SeatRefused) else " ".join(error.messages))
        return redirect("play:season", season.slug)
    messages.success(
        request, f"Your entry is open: {prepared.season.name}, entry {prepared.number}. Begin with any game."
    )
    return redirect("play:play")


def _season(slug: str) -> Season:
    return get_object_or_404(seasons_now(timezone.now()), slug=slug)
