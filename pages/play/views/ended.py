"""The page of a game's end: the result, its payoff, the path against the optimum, the place and the person's history."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from analysis.base.selectors import outcomes_of_run
from environments.registry import score_format
from games.registry import parts_of, run_figure
from infrastructure.figures.theme import PlotlyFigure
from pages.play import endings
from pages.play.payoff import payment_of
from pages.play.players import BrowserPlayer
from runs.models import Run


def shows_result(player: BrowserPlayer) -> bool:
    """Whether the player may see the path against the optimum: of a finished game whose instance is not sealed.

    Participants see it only if the owner of their study chose that.
    """
    run = player.seat.episode.kept_run
    if run is None or not run.is_finished or run.instance.is_sealed:
        return False
    return player.participant is None or player.participant.study.shows_result


def result_figure(player: BrowserPlayer) -> PlotlyFigure:
    """The path against the optimum. The player may see it, see `shows_result`."""
    run = player.seat.episode.played_run
    return run_figure(run.instance.as_problem(), outcomes_of_run(run), run.periods)


def ended_page(request: HttpRequest, player: BrowserPlayer, state: str) -> HttpResponse:
    """The page of the game's end. Participants who finished, or whose other player left, get the end of the study."""
    participant, is_finished = player.participant, state == "finished"
    context: dict[str, Any] = {"player": player, "state": state, "is_finished": is_finished}
    run = player.seat.episode.run
    if participant is None and run is not None and not run.instance.is_sealed:
        context |= {"run": run, "scale": score_format(run.instance.environment, run.variant).note}
    if run is not None and shows_result(player):
        context |= _result(player, run)
    if participant is not None:
        study = participant.study
        context |= {"study": study, "is_thanked": is_finished or participant.is_left_alone}
        context["payment"] = payment_of(participant) if study.shows_payoff else None
    return render(request, "pages/play/ended.html", context)


def _result(player: BrowserPlayer, run: Run) -> dict[str, Any]:
    presenter = parts_of(run.instance.environment).presenter
    return {
        "has_result": True,
        "result": run,
        "chart_title": presenter.chart_title,
        "heights": presenter.chart_heights(run),
        "standing": endings.standing_of(player.seat.episode),
        "games": endings.history_of(player.seat.episode),
    }
