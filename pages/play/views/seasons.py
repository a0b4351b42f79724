"""Seasons: what is played, the published hash of the secret, and the board of all entries."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.guards import editor_required
from accounts.pages.requests import MemberRequest
from environments.registry import ENVIRONMENTS, GENERATION
from pages.play.services.games import HUMAN
from runs.episodes.models import RULES, Season
from runs.episodes.refusals import SeatRefused
from runs.episodes.secrets import season_secret
from runs.episodes.selectors import season_board, seasons_now
from runs.episodes.services.opening import Harness
from runs.episodes.services.seasons import entry_open, entry_prepare


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
