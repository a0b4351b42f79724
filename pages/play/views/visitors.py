"""The pages of a link before its game begins: consent, the practice round, and the start."""

from datetime import timedelta

from django.conf import settings
from django.contrib import messages
from django.core import signing
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from environments.base import ToolError
from games.registry import parts_of
from games.screens.base import ActionForm
from pages.play.models import Participant, Study
from pages.play.players import BrowserPlayer
from pages.play.practice import practice_game
from pages.play.selectors import participant_with
from pages.play.services import participants
from pages.play.services.studies import secret_new
from pages.play.turns import turn_of
from pages.play.views import game
from pages.play.views.doors import Visit, by_link
from runs.episodes.services.opening import LIMITS
from runs.launching.plan import paper_periods
from runs.models import PlayerClass

LABELS = ("participant_label", "PROLIFIC_PID", "label")
"""Query parameters that name the participant: oTree's, Prolific's and ours."""

COOKIE_AGE = timedelta(days=60)


@by_link
@require_safe
def entry(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The participant's current page: consent, practice round, start or game. Opening the link again leads back to it."""
    participant = visit.participant
    if participant is None:
        if secret := _remembered(request, visit):
            return redirect("play:participant-game", secret)
        return _consent_page(request, visit)
    if participant.seat is not None:
        if participant.seat.episode.kept_run is None:
            raise Http404
        return game.page(request, BrowserPlayer(participant.seat, visit.secret, participant))
    if participant.consented_at is None:
        return _consent_page(request, visit)
    return _practice_page(request, visit, participant)


def _consent_page(request: HttpRequest, visit: Visit, error: str = "") -> HttpResponse:
    study = visit.study
    if not study.is_open:
        closed = {"code": 410, "title": study.title, "sentence": participants.CLOSED}
        return render(request, "pages/play/refused.html", closed, status=410)
    parameters = request.POST if request.method == "POST" else request.GET
    label = next((parameters[name] for name in LABELS if parameters.get(name)), "")[
        : participants.MOST_LABEL + 1
    ].replace("\x00", "")
    period, whole = LIMITS[PlayerClass.HUMAN]
    context = {
        "visit": visit,
        "study": study,
        "label": label,
        "error": error,
        "hours": int(period.total_seconds()) // 3600,
        "days": whole.days,
        "periods": study.periods or paper_periods(study.environment, study.variant),
    }
    if visit.participant is None:
        context["ticket"] = request.POST.get("ticket") or signing.dumps(secret_new(), salt=_salt(study))
    return render(request, "pages/play/consent.html", context, status=422 if error else 200)


@by_link
@require_POST
def consent(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Record the consent; nothing is recorded before.

    A visitor by the open link gets a personal link, which a cookie keeps.
    """
    label = request.POST.get("label", "").replace("\x00", "")
    if secret := _remembered(request, visit):
        return redirect("play:participant-game", secret)
    try:
        if visit.participant is not None:
            participants.participant_consent(participant=visit.participant, label=label)
            return redirect("play:participant-game", visit.secret)
        secret = signing.loads(request.POST.get("ticket", ""), salt=_salt(visit.study), max_age=COOKIE_AGE)
        participants.participant_join(study=visit.study, secret=secret, label=label)
    except signing.BadSignature:
        return redirect("play:participant-game", visit.secret)
    except ValidationError as error:
        return _consent_page(request, visit, " ".join(error.messages))
    response = redirect("play:participant-game", secret)
    # The cookie needs no signature, since nobody can guess another participant's secret.
    response.set_cookie(
        _cookie(visit), secret, max_age=COOKIE_AGE, path="/p/", secure=settings.HTTPS, httponly=True, samesite="Lax"
    )
    return response


def _salt(study: Study) -> str:
    """The salt for signing the secret that a consent page offers.

    With this secret, a form sent twice makes one participant.
    """
    return f"join study {study.pk}"


def _remembered(request: HttpRequest, visit: Visit) -> str:
    """The secret of the participant who joined by this open link in this browser; empty if nobody did."""
    secret = request.COOKIES.get(_cookie(visit), "") if visit.participant is None else ""
    participant = participant_with(secret)
    return secret if participant is not None and participant.study_id == visit.study.pk else ""


def _cookie(visit: Visit) -> str:
    return f"participant-{visit.study.pk}"


def _practice_page(
    request: HttpRequest, visit: Visit, participant: Participant, form: ActionForm | None = None
) -> HttpResponse:
    """The page of the next practice period; after the last one, the page with the button that begins the game."""
    practice = practice_game(participant)
    context = {"visit": visit, "study": visit.study, "is_over": practice.finished}
    if not practice.finished or practice.outcomes:
        turn = turn_of(practice)
        context |= game.turn_context(turn) | {"figure_height": 0, "has_more": False}
        context["form"] = form or (None if practice.finished else parts_of(turn.environment).screen.form(turn))
    return render(request, "pages/play/practice.html", context, status=422 if form else 200)


@by_link
@require_POST
def practise(request: HttpRequest, visit: Visit, period: int) -> HttpResponse:
    """Take an action of the practice round."""
    participant = visit.participant
    if participant is None:
        raise Http404
    practice = practice_game(participant)
    if participant.seat is None and period == practice.period and not practice.finished:
        turn = turn_of(practice)
        form = parts_of(turn.environment).screen.form(turn, request.POST)
        if form.is_valid():
            try:
                participants.participant_practise(participant=participant, period=period, action=form.action())
            except ToolError as error:
                form.add_error(None, str(error))
        if form.errors:
            return _practice_page(request, visit, participant, form)
    return redirect("play:participant-game", visit.secret)


@by_link
@require_POST
def begin(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Begin the game."""
    if visit.participant is None:
        raise Http404
    try:
        participants.participant_begin(participant=visit.participant)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    return redirect("play:participant-game", visit.secret)
