"""Practice games on public seeds, in this process. They are never ranked: everybody can compute their best actions."""

from functools import lru_cache
from threading import Lock
from typing import Any

from agents.baselines.base import BaselineLLM
from agents.baselines.registry import BASELINES
from agents.loop import PeriodChat
from agents.tools import Notes
from environments.base import Environment, Instance
from environments.prompts.variants import base_variant
from environments.registry import ENVIRONMENTS, GENERATION, built_in_variants, generate

RANKED = "Practice on a public seed; it is not ranked."

_one_at_a_time = Lock()


@lru_cache(maxsize=64)
def _instance(
    environment: str, difficulty: str, seed: int, generator: str, world: str, with_reference: bool
) -> Instance:
    """The instance of a seed. `world`: the variant whose instance it is, 'main' for variants without their own."""
    return generate(environment, difficulty, seed, generator, variant=world, with_reference=with_reference)


def easiest(environment: str) -> str:
    return next(iter(GENERATION[environment].difficulties))


def practice_game(
    environment: str,
    difficulty: str = "",
    seed: int = 0,
    *,
    generator: str = "published",
    variant: str = "main",
    periods: int | None = None,
    reasoning: bool = False,
    with_reference: bool = True,
) -> Environment:
    """Return a new game on the public instance of a seed, by default of the easiest difficulty and as long as in the papers.

    with_reference: whether to compute the reference, such as the optimum. A game without it cannot be played; it only
        shows the instance.
    The last 64 instances are cached, because proving the optimum of procurement HARD takes up to a minute. Raises
    ValueError with one sentence for options that do not exist.
    """
    if environment not in ENVIRONMENTS:
        raise ValueError(f"There is no environment {environment!r}; there are {', '.join(ENVIRONMENTS)}.")
    cls = ENVIRONMENTS[environment]
    if variant not in built_in_variants(environment):
        raise ValueError(f"{cls.title} has no variant {variant!r}; it has {', '.join(built_in_variants(environment))}.")
    declared = built_in_variants(environment)[variant]
    world = base_variant(variant) if declared.settings else "main"
    with _one_at_a_time:
        instance = _instance(environment, difficulty or easiest(environment), seed, generator, world, with_reference)
    fewest, longest = declared.fewest_periods, cls.periods_of(variant, instance)
    if periods is not None and not fewest <= periods <= longest:
        raise ValueError(f"{cls.title} has {fewest} to {longest} periods, so it cannot have {periods}.")
    return cls(instance, variant=variant, periods=periods, reasoning=reasoning)


def baseline_action(game: Environment, slug: str, seat: str) -> dict[str, Any]:
    """Return the action of a baseline in the current period of a game with tools.

    slug: name of the baseline
    Raises ValueError if it does not play the game.
    """
    if slug not in BASELINES or game.name not in BASELINES[slug].environments:
        slugs = [name for name, baseline in BASELINES.items() if game.name in baseline.environments]
        raise ValueError(f"No baseline {slug!r} plays {game.title}; there are {', '.join(slugs)}.")
    player = BaselineLLM(BASELINES[slug](game.instance, type(game), seat, game.variant), game.period)
    chat = PeriodChat(game, Notes(), seat)
    while chat.action is None:
        chat.receive(player.query(chat.request()))
    return chat.action
