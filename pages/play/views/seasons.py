"""Pages of seasons. Members enter a season; site operators also create, close and reveal one."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.guards import editor_required, operator_required
from accounts.pages.requests import MemberRequest, posted, submit
from environments.registry import ENVIRONMENTS, GENERATION
from pages.dashboard.views.actions import done, refused
from pages.play.season_forms import SeasonForm
from pages.play.services.games import HUMAN
from runs.episodes import refusals, secrets
from runs.episodes.models import RULES, Season
from runs.episodes.selectors import season_board, seasons_now
from runs.episodes.services import ending
from runs.episodes.services.opening import Harness
from runs.episodes.services.seasons import entry_open, entry_prepare, season_create

CONFIRM = "Nothing was done. Type the name of the season to confirm."


@require_safe
def seasons(request: MemberRequest) -> HttpResponse:
    """Seasons, newest first. Operators also see those that have not opened yet."""
    return render(request, "pages/play/seasons.html", {"seasons": list(_shown(request))})


def _shown(request: MemberRequest) -> QuerySet[Season]:
    return Season.objects.all() if request.user.is_operator else seasons_now(timezone.now())


def _season(request: MemberRequest, slug: str) -> Season:
    return get_object_or_404(_shown(request), slug=slug)


@require_safe
def season_detail(request: MemberRequest, slug: str) -> HttpResponse:
    season = _season(request, slug)
    context: dict[str, Any] = {
        "season": season,
        "rules": RULES,
        "kinds": [
            (
                ENVIRONMENTS[name].title,
                [level for level in season.difficulties if level in GENERATION[name].difficulties],
            )
            for name in season.environments
        ],
        "leaderboard": season_board(season, reader=request.organization),
        "secret": secrets.season_secret(season).hex() if season.revealed_at else "",
        "has_operator": request.organization.memberships.filter(user__is_operator=True).exists(),
    }
    return render(request, "pages/play/season.html", context)


@editor_required
@require_POST
def enter(request: MemberRequest, slug: str) -> HttpResponse:
    """Open a season entry that the member plays in the browser."""
    season = _season(request, slug)
    try:
        prepared = entry_prepare(
            organization=request.organization,
            user=request.user,
            season=season,
            harness=Harness(HUMAN, request.user.shown_name[:60]),
        )
        entry_open(organization=request.organization, user=request.user, prepared=prepared)
    except (refusals.SeatRefused, ValidationError) as error:
        sentence = error.sentence if isinstance(error, refusals.SeatRefused) else " ".join(error.messages)
        return refused(request, sentence, "play:season", season.slug)
    opened = f"Your entry is open: {prepared.season.name}, entry {prepared.number}. Begin with any game."
    return done(request, opened, "play:play")


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
def season_new(request: MemberRequest) -> HttpResponse:
    is_posted = request.method == "POST"
    form = SeasonForm(posted(request))
    if is_posted and (season := submit(form, season_create, actor=request.membership)):
        sentence = f"The season {season.name} was created. Nobody sees its secret before it is revealed."
        return done(request, sentence, "play:season", season.slug)
    return render(
        request,
        "pages/play/season_new.html",
        {"form": form, "boxes": (form["environments"], form["difficulties"])},
        status=422 if is_posted else 200,
    )


@operator_required
@require_POST
def season_close(request: MemberRequest, slug: str) -> HttpResponse:
    """End play now. The operator confirms with the name of the season."""
    season = _season(request, slug)
    if not _is_confirmed(request, season):
        return refused(request, CONFIRM, "play:season", season.slug)
    is_first = ending.season_close(season=season, actor=request.membership)
    sentence = "The season is closed." if is_first else "The season was closed before."
    return done(request, sentence, "play:season", season.slug)


@operator_required
@require_POST
def season_reveal(request: MemberRequest, slug: str) -> HttpResponse:
    """Let workers reveal a closed season. The operator confirms with the name of the season."""
    season = _season(request, slug)
    if not _is_confirmed(request, season):
        return refused(request, CONFIRM, "play:season", season.slug)
    try:
        ending.season_reveal_request(season=season, actor=request.membership)
    except ValidationError as error:
        return refused(request, " ".join(error.messages), "play:season", season.slug)
    return done(request, "Workers reveal the season now. Reload the page in a moment.", "play:season", season.slug)


def _is_confirmed(request: MemberRequest, season: Season) -> bool:
    return request.POST.get("confirm", "").strip() == season.name
