"""Access to the pages of a game: for the member who began it, and for anybody with the secret of a participant's link."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from accounts.guards import public
from accounts.pages.requests import MemberRequest
from accounts.secrets import token_hash
from infrastructure.limits import counted
from pages.play.models import Participant, Study
from pages.play.players import BrowserPlayer
from pages.play.selectors import participant_with, seat_of_member, study_with

GameView = Callable[..., HttpResponse]

MINUTE = 60
REQUESTS_A_MINUTE = 240
"""The most requests of one link. A page saves a draft at most once a second."""

GONE = {
    "code": 404,
    "title": "This link is not available",
    "sentence": "The link was revoked or mistyped, or its study was deleted. Ask the person who sent it for a new one.",
}
BUSY = {
    "code": 429,
    "title": "Too many requests",
    "sentence": "This link was opened very often in the last minute. Wait a minute and reload the page.",
}


@dataclass(frozen=True)
class Visit:
    """A request with a link: a participant's link, or the open link of a study."""

    secret: str
    study: Study
    participant: Participant | None


def member_view(view: GameView) -> GameView:
    """Decorate a view for the member who opened the game."""

    @wraps(view)
    def wrapper(request: MemberRequest, episode_id: int, **more: Any) -> HttpResponse:
        seat = seat_of_member(organization=request.organization, user=request.user, episode_id=episode_id)
        return view(request, BrowserPlayer(seat, episode_id), **more)

    return wrapper


def by_link(view: Callable[..., HttpResponse]) -> GameView:
    """Decorate a view for everybody with a link. Unknown, revoked and deleted links get the same answer."""

    @public
    @wraps(view)
    def wrapper(request: HttpRequest, secret: str, **more: Any) -> HttpResponse:
        if counted(f"play:{token_hash(secret)}", MINUTE) > REQUESTS_A_MINUTE:
            response = render(request, "pages/play/refused.html", BUSY, status=429)
            response["Retry-After"] = str(MINUTE - int(time.time()) % MINUTE)
            return _quiet(response)
        participant = participant_with(secret)
        study = participant.study if participant else study_with(secret)
        try:
            if study is None:
                raise Http404
            return _quiet(view(request, Visit(secret, study, participant), **more))
        except Http404:
            return _quiet(render(request, "pages/play/refused.html", GONE, status=404))

    return wrapper


def participant_view(view: GameView) -> GameView:
    """Decorate a view for a participant whose game has begun.

    Before the game begins, the view redirects to the link's page, which shows the next step.
    """

    @by_link
    @wraps(view)
    def wrapper(request: HttpRequest, visit: Visit, **more: Any) -> HttpResponse:
        participant = visit.participant
        if participant is None:
            raise Http404
        if participant.seat is None or participant.seat.episode.kept_run is None:
            return redirect("play:participant-game", visit.secret)
        return view(request, BrowserPlayer(participant.seat, visit.secret, participant), **more)

    return wrapper


def _quiet(response: HttpResponse) -> HttpResponse:
    """Keep search engines from listing the page, and other sites from learning its address.

    The referrer policy is 'same-origin'. With 'no-referrer', browsers send the origin 'null' with a
    form, and the CSRF check refuses it. With both policies other sites get no referrer.
    """
    response["X-Robots-Tag"] = "noindex, nofollow"
    response.headers.setdefault("Referrer-Policy", "same-origin")
    return response
