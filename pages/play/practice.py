"""The practice round of a participant: a few periods of an easy game, played in memory.

Only the participant's actions are stored, until the round is over. A stored run would appear in the organization's
lists, leaderboards and exports, and would have to be filtered out of each.
"""

from functools import lru_cache
from typing import Any

from agents.baselines.base import BaselineLLM
from agents.baselines.registry import BASELINES, baselines_of
from agents.loop import PeriodChat
from agents.tools import Notes
from environments.base import SINGLE_SEAT, Environment, Instance
from environments.registry import ENVIRONMENTS, GENERATION, MARKETS, generate
from pages.play.models import Participant
from runs.episodes.game import as_action
from runs.selectors.designs import prompts_named

SEED = 4_000_000_000
"""The seed of practice rounds, far from the seeds that studies and launches use."""


def rivals_of(environment: str) -> list[str]:
    """The baselines that can take the second seat; none if the game has one seat."""
    return baselines_of(environment) if environment in MARKETS else []


@lru_cache(maxsize=32)
def _problem(environment: str, variant: str) -> Instance:
    first = next(iter(GENERATION[environment].difficulties))
    return generate(environment, first, SEED, variant=variant, with_reference=False)


def practice_game(participant: Participant) -> Environment:
    """The participant's practice round in its current state."""
    study = participant.study
    own = prompts_named(organization=study.organization, variants=(study.variant,))
    prompt = own.get((study.environment, study.variant))
    game = ENVIRONMENTS[study.environment](
        _problem(study.environment, study.variant),
        variant=study.variant,
        periods=study.practice,
        prompts=prompt.prompt_set if prompt else None,
    )
    for parsed in participant.practice:
        _step(game, parsed, study.rival)
    return game


def _step(game: Environment, parsed: dict[str, Any], rival: str) -> None:
    """Play a period. A baseline takes the other seat, even if another participant will take it in the game."""
    actions = {SINGLE_SEAT: as_action(game, parsed)}
    for seat in game.seats[1:]:
        baseline = BASELINES[rival or rivals_of(game.instance.environment)[0]]
        model = BaselineLLM(baseline(game.instance, type(game), seat, game.variant), game.period)
        chat = PeriodChat(game, Notes(), seat)
        while chat.action is None:
            chat.receive(model.query(chat.request()))
        actions[seat] = chat.action
    game.step(game.joint_action(actions))
