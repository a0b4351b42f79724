"""A worker's part of a measurement. The only place that turns exceptions into states of a measurement."""

import logging
import time
from itertools import groupby

from django.conf import settings
from django.db import InterfaceError, OperationalError

from agents.episode import play_baseline
from environments.base import Instance
from environments.registry import ENVIRONMENTS, GENERATION
from infrastructure.claims import Claim, ClaimLost
from infrastructure.connections import let_go_of_connection
from infrastructure.processes.stopping import stopping
from infrastructure.transactions import write_transaction
from instances.measuring.claims import claims
from instances.measuring.games import Game, baselines_of, games_of, played_of
from instances.models import BaselineScore, MeasurementState
from runs.engine import heartbeat

logger = logging.getLogger(__name__)

MOST_TRIES = 3
"""Workers that may die over a measurement before it fails, so that it cannot kill all of them."""
MOST_SECONDS = 600
KILLED = f"{MOST_TRIES} workers ended while they played it. Measure a smaller design."
TOO_LONG = "It took longer than ten minutes. What was played is kept; measure again to go on."


class Stopping(Exception):
    """This process was asked to stop."""


class Unable(Exception):
    """The measurement cannot be done. The message is a sentence for its page."""


def work(claim: Claim) -> None:
    """Play the games of the claimed measurement that are not stored yet, then release the claim."""
    heartbeat.start()
    try:
        _work(claim)
    except ClaimLost:
        logger.info("Measurement %d is wanted no more, or is another worker's.", claim.row_id)
    except (OperationalError, InterfaceError):
        # The database is away or full. The claim expires, and the next worker goes on.
        logger.warning("Measurement %d waits for the database.", claim.row_id, exc_info=True)
    finally:
        claims.held.discard(claim)


def _work(claim: Claim) -> None:
    try:
        if claim.tries >= MOST_TRIES:
            raise Unable(KILLED)
        _play_all(claim)
    except (ClaimLost, OperationalError, InterfaceError):
        raise
    except Stopping:
        claims.finish(claim, stage="")
    except Unable as error:
        claims.finish(claim, state=MeasurementState.FAILED, stage="", problem=str(error))
    except MemoryError:
        claims.finish(claim, state=MeasurementState.FAILED, stage="", problem="The worker's memory is too small.")
    except Exception as error:  # a bug must show as one and not be retried for ever
        logger.exception("Measurement %d failed.", claim.row_id)
        problem = f"A fault in EconEvals ended this measurement: {type(error).__name__}: {error}"[:1000]
        claims.finish(claim, state=MeasurementState.FAILED, stage="", problem=problem)
    else:
        claims.finish(claim, state=MeasurementState.DONE, stage="")


def _play_all(claim: Claim) -> None:
    found = claims.mine(claim).select_related("design").first()
    if found is None:
        raise ClaimLost
    games, began = games_of(found.design, found.measured), time.monotonic()
    stored = played_of(games)
    done = sum(game.key in stored for game in games)
    for recipe, of_recipe in groupby(games, key=lambda game: game.recipe):
        left = [game for game in of_recipe if game.key not in stored]
        if not left:
            continue
        where = f"{left[0].column}, seed {recipe.seed}"
        if GENERATION[recipe.environment].reference_is_costly:
            _tell(claim, f"The optimum of {where}", done, len(games))
        problem = GENERATION[recipe.environment].drawn(recipe)
        for game in left:
            if time.monotonic() - began > MOST_SECONDS:
                raise Unable(TOO_LONG)
            _tell(claim, f"{baselines_of(recipe.environment)[game.baseline].title} on {where}", done, len(games))
            _store(game, _score(problem, game.baseline))
            done += 1


def _score(problem: Instance, baseline: str) -> float | None:
    environment = ENVIRONMENTS[problem.environment]
    game = play_baseline(baselines_of(problem.environment)[baseline], problem, environment)
    return environment.score(problem, game.outcomes, game.periods).value


def _store(game: Game, score: float | None) -> None:
    """Two workers may play the same published game; the first to store it wins, and both scores are equal."""
    values = {"recipe": game.recipe.hash, "baseline": game.baseline, "version": settings.VERSION}
    with write_transaction():
        BaselineScore.objects.get_or_create(**values, defaults={"score": score})


def _tell(claim: Claim, stage: str, done: int, total: int) -> None:
    """Store the progress. Ends the measurement if the process stops or a person cancelled it."""
    if stopping.is_set():
        raise Stopping
    claims.tell(claim, done, total, stage=stage[:100])
    let_go_of_connection()  # for the game
