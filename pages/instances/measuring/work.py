"""A worker's part of a measurement: the games that are not stored yet."""

import time
from itertools import groupby

from django.conf import settings

from agents.episode import play_baseline
from environments.base import Instance
from environments.registry import ENVIRONMENTS, GENERATION
from infrastructure.claims import Claim, ClaimLost
from infrastructure.transactions import write_transaction
from pages.instances.measuring.claims import claims
from pages.instances.measuring.games import BaselineGame, baselines_of, games_of, stored_scores
from pages.instances.models import BaselineScore, MeasurementState
from runs.engine.jobs import Job, JobFailed

MOST_SECONDS = 600
TOO_LONG = "It took longer than ten minutes. What was played is kept; measure again to go on."


def _step(claim: Claim) -> None:
    _play_all(claim)
    claims.finish(claim, state=MeasurementState.DONE)


def _fail(claim: Claim, problem: str) -> None:
    claims.finish(claim, state=MeasurementState.FAILED, problem=problem)


MEASUREMENTS = Job("measurement", claims, _step, _fail, advice="Measure a smaller design.")


def _play_all(claim: Claim) -> None:
    measurement = claims.mine(claim).select_related("design").first()
    if measurement is None:
        raise ClaimLost
    games, began = games_of(measurement.design, measurement.measured), time.monotonic()
    stored = stored_scores(games)
    done = sum(game.key in stored for game in games)
    for recipe, of_recipe in groupby(games, key=lambda game: game.recipe):
        left = [game for game in of_recipe if game.key not in stored]
        if not left:
            continue
        where = f"{left[0].column}, seed {recipe.seed}"
        if GENERATION[recipe.environment].reference_is_costly:
            claims.store_progress(claim, done, len(games), stage=f"The optimum of {where}"[:100])
        problem = GENERATION[recipe.environment].drawn(recipe)
        for game in left:
            if time.monotonic() - began > MOST_SECONDS:
                raise JobFailed(TOO_LONG)
            stage = f"{baselines_of(recipe.environment)[game.baseline].title} on {where}"
            claims.store_progress(claim, done, len(games), stage=stage[:100])
            _store(game, _score(problem, game.baseline))
            done += 1


def _score(problem: Instance, baseline: str) -> float | None:
    environment = ENVIRONMENTS[problem.environment]
    game = play_baseline(baselines_of(problem.environment)[baseline], problem, environment)
    return environment.score(problem, game.outcomes, game.periods).value


def _store(game: BaselineGame, score: float | None) -> None:
    """Two workers may play the same published game; the first to store it wins, and both scores are equal."""
    values = {"recipe": game.recipe.hash, "baseline": game.baseline, "version": settings.VERSION}
    with write_transaction():
        BaselineScore.objects.get_or_create(**values, defaults={"score": score})
