"""The page where a member plays: games to go on with, a new game, studies and seasons."""

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from accounts.guards import VIEWER
from accounts.pages.requests import MemberRequest, submit
from pages.play.forms import OwnGameForm
from pages.play.selectors import open_games, studies
from pages.play.services import game_open
from runs.episodes.selectors import seasons_now

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
