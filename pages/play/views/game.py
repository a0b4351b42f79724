"""The pages of a game, for members and participants: the current period, unsent input, and past periods."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.pages.requests import whole
from games.registry import parts_of
from games.screens.base import ActionForm
from games.screens.turn import Turn
from infrastructure.figures.panels import NOTHING_PLAYED, last_period
from infrastructure.figures.theme import empty_figure
from pages.play.models import Draft, Participant
from pages.play.players import BrowserPlayer
from pages.play.services.games import MOST_NOTES, draft_save, game_resign, notes_keep, turn_take
from pages.play.turns import turn_of, turn_of_seat
from pages.play.views.ended import ended_page, result_figure, shows_result
from runs.episodes import game, refusals
from runs.episodes.notes import latest_notes
from runs.episodes.selectors import seat_status

RECENT_PERIODS = 5
"""Number of past periods on the page of the current one."""

WAITING = ("preparing", "waiting")
NOTES_KEPT = "Your notes stand in the pad of the current period."
LONG_NOTES = f"The notes of one period have at most {MOST_NOTES:,} characters. Shorten them and send again."


@require_safe
def page(request: HttpRequest, player: BrowserPlayer) -> HttpResponse:
    """The page of the current period, of a wait, or of the end of the game, depending on the state.

    The open page polls this view, with `?playing` if it shows a period. The answer is 204, or a
    header that reloads the page if it is outdated.
    """
    status = seat_status(player.seat)
    if request.headers.get("HX-Request"):
        is_current = status.state in WAITING or (status.state == "open" and "playing" in request.GET)
        return HttpResponse(status=204) if is_current else HttpResponse(headers={"HX-Refresh": "true"})
    if status.state in WAITING:
        return render(
            request,
            "pages/play/waiting.html",
            {
                "player": player,
                "status": status,
                "is_alone": Participant.objects.filter(seat__episode=player.seat.episode_id).count() == 1,
            },
        )
    if status.state != "open":
        return ended_page(request, player, status.state)
    try:
        turn = turn_of_seat(player.seat)
    except refusals.SeatRefused:
        return redirect(player.page)  # the period was played in another window meanwhile
    return period_page(request, player, turn)


def period_page(
    request: HttpRequest, player: BrowserPlayer, turn: Turn, form: ActionForm | None = None, notes: str = ""
) -> HttpResponse:
    """The page of a period. form, notes: input that was sent but refused; by default the draft is shown"""
    draft = None
    if form is None:
        draft = Draft.objects.filter(seat=player.seat, period=turn.period).first()
        form = parts_of(turn.environment).screen.form(turn, typed=draft.values if draft else None)
        notes = draft.notes if draft else ""
    context = {
        "player": player,
        "draft": draft,
        "notes": notes,
        "most_notes": MOST_NOTES,
        "room": refusals.GAME_BYTES,
        "form": form,
    }
    context |= turn_context(turn) | (_notes(player, turn.period) if turn.takes_notes else {})
    return render(request, "pages/play/period.html", context, status=422 if form.is_bound else 200)


def turn_context(turn: Turn) -> dict[str, Any]:
    """The context of a period's page, which the practice round uses too."""
    screen = parts_of(turn.environment).screen
    return {
        "turn": turn,
        "tables": screen.tables(turn),
        "texts": screen.texts(turn),
        "totals": screen.budget(turn),
        "last": screen.last(turn.last) if turn.last else [],
        "history": screen.history(turn.past_periods[-RECENT_PERIODS:]) if turn.past_periods else None,
        "has_more": len(turn.past_periods) > RECENT_PERIODS,
        "figure_height": screen.figure_height if turn.past_periods else 0,
    }


def _notes(player: BrowserPlayer, before: int) -> dict[str, Any]:
    """The notes of periods before `before`, newest first. `more`: the period before which further notes were written"""
    earlier, more = latest_notes(player.seat, before)
    return {"earlier": earlier, "more": more}


@require_POST
def act(request: HttpRequest, player: BrowserPlayer, period: int) -> HttpResponse:
    """Take the action of a period. A form that is sent twice counts once."""
    seat = player.seat
    form, notes = None, ""
    try:
        if period >= seat.period or seat.episode.prepared_at is None:
            refusals.refuse_period(seat, period)
        turn = turn_of(game.game_of(seat.episode, min(period, seat.episode.periods_played)), seat.name)
        form = parts_of(turn.environment).screen.form(turn, request.POST)
        if turn.takes_notes:
            notes = request.POST.get("notes", "").replace("\r\n", "\n")
        if len(notes) > MOST_NOTES:
            form.add_error(None, LONG_NOTES)
        if form.is_valid():
            receipt = turn_take(seat=seat, period=period, action=form.action(), notes=notes)
            if receipt.replayed and notes_keep(seat=seat, period=period, notes=notes):
                messages.warning(request, f"Period {period} was sent before. {NOTES_KEPT}")
            return redirect(player.page)
    except refusals.SeatRefused as refused:
        if form is None or refused.code != refusals.Code.INVALID_ACTION:
            kept = NOTES_KEPT if notes_keep(seat=seat, period=period, notes=notes) else ""
            messages.warning(request, f"{refused.sentence} What you sent changed nothing. {kept}")
            return redirect(player.page)
        form.add_error(None, refused.sentence)
    if seat_status(seat).state != "open" or period != seat.period:
        return redirect(player.page)
    # The page with the form has already opened the period.
    return period_page(request, player, turn, form, notes)


@require_POST
def draft(request: HttpRequest, player: BrowserPlayer) -> HttpResponse:
    """Store the unsent input. The answer has the time of saving."""
    values = {name: str(value) for name, value in request.POST.items() if name[0:1] == "a" and name[1:].isdigit()}
    state = seat_status(player.seat).state
    if state not in ("open", *WAITING):
        return HttpResponse(headers={"HX-Refresh": "true"})
    if request.POST.get("period") != str(player.seat.period) or state != "open":
        return HttpResponse("<b>Not saved: this period is over. Reload the page.</b>")
    notes = request.POST.get("notes", "").replace("\r\n", "\n")
    saved = draft_save(seat=player.seat, period=player.seat.period, values=values, notes=notes)
    return render(request, "pages/play/_saved.html", {"draft": saved})


@require_POST
def resign(request: HttpRequest, player: BrowserPlayer) -> HttpResponse:
    """End the game without a score."""
    game_resign(seat=player.seat)
    return redirect(player.page)


@require_safe
def history(request: HttpRequest, player: BrowserPlayer) -> HttpResponse:
    """All past periods, and the notes written before a period, by default the current one."""
    turn = _current_turn(player)
    if turn is None:
        return redirect(player.page)
    screen = parts_of(turn.environment).screen
    context = {
        "player": player,
        "turn": turn,
        "history": screen.history(turn.past_periods) if turn.past_periods else None,
        "figure_height": screen.figure_height if turn.past_periods else 0,
    }
    context |= _notes(player, min(whole(request.GET.get("before"), turn.period), turn.period))
    return render(request, "pages/play/history.html", context)


@require_safe
def figure(request: HttpRequest, player: BrowserPlayer) -> HttpResponse:
    """The data of a plot of the past periods, or at the end of the path against the optimum, as JSON."""
    turn = _current_turn(player)
    if turn is None and shows_result(player):
        return JsonResponse(result_figure(player))
    if turn is None or not parts_of(turn.environment).screen.figure_height:
        raise Http404("There is no plot of this game now.")
    if not turn.past_periods:
        return JsonResponse(empty_figure(NOTHING_PLAYED))
    last = last_period(len(turn.past_periods), turn.periods, ended=False)
    return JsonResponse(parts_of(turn.environment).screen.figure(turn.past_periods, last))


def _current_turn(player: BrowserPlayer) -> Turn | None:
    """The current period, which its page has already opened; None if there is nothing to play."""
    seat = player.seat
    return turn_of(game.game_of(seat.episode), seat.name) if seat_status(seat).state == "open" else None
