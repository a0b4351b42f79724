"""The Gymnasium environment, one class for all games."""

from typing import Any, Literal, SupportsFloat

import gymnasium
from gymnasium.error import InvalidAction, ResetNeeded

from econevals.gymnasium.spaces import SPACES
from econevals.gymnasium.spaces.base import Action, GameSpaces, Observation
from econevals.practice import baseline_action, practice_game
from environments.base import SINGLE_SEAT, Outcome
from environments.generation import MAX_SEED


class PracticeEnv(gymnasium.Env[Observation, Action]):
    """One seat of one game. `reset(seed=...)` draws the public instance of that seed, `reset()` that of a random seed.

    environment: name of the game
    difficulty: level of the instances, by default the easiest
    periods: length of an episode, by default and at most that of the papers
    variant: variant of the prompts, which in some games decides what is rewarded
    generator: generator of the instances
    rival: the baseline in the second seat of a market of two; it has no effect in other games
    render_mode: 'ansi' renders the text that agents on a site read about the last period

    The reward is the quality of the period, at most 1; see `GameSpaces.reward` for games without a best action. `info`
    holds the seed, the prompt of the period, the feedback about the last period and, at the end, the score.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self,
        environment: str,
        difficulty: str = "",
        periods: int | None = None,
        *,
        variant: str = "main",
        generator: str = "published",
        rival: str = "collusion-best-response",
        render_mode: Literal["ansi"] | None = None,
    ):
        self.render_mode = render_mode
        self.rival = rival
        self._options: dict[str, Any] = {
            "difficulty": difficulty,
            "periods": periods,
            "variant": variant,
            "generator": generator,
        }
        self._name = environment
        self._seed: int | None = None
        self.game = practice_game(environment, with_reference=False, **self._options)
        self.spaces: GameSpaces[Any] = SPACES[environment](self.game)
        self.action_space = self.spaces.action_space()
        self.observation_space = self.spaces.observation_space()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        super().reset(seed=seed)
        self._seed = int(self.np_random.integers(MAX_SEED, endpoint=True)) if seed is None else seed
        self.game = practice_game(self._name, seed=self._seed, **self._options)
        self.spaces = SPACES[self._name](self.game)
        return self.spaces.observe(), self._info(None)

    def step(self, action: Action) -> tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]:
        """Play one period. Raises InvalidAction for an action outside the space, ResetNeeded outside of an episode."""
        if self._seed is None or self.game.finished:
            raise ResetNeeded("The episode has not begun or is over; call reset().")
        if action not in self.action_space:
            raise InvalidAction(f"The action is not in {self.action_space}.")
        actions = {seat: baseline_action(self.game, self.rival, seat) for seat in self.game.seats[1:]}
        own = self.game.parse_action(self.spaces.decode(action))
        outcome = self.game.step(self.game.joint_action(actions | {SINGLE_SEAT: own}))
        return self.spaces.observe(), self.spaces.reward(outcome), self.game.finished, False, self._info(outcome)

    def encode(self, action: dict[str, Any]) -> Action:
        """Convert an action of the game, such as {'Product_1': 20.0}, to an action of this environment's space.

        Raises ToolError with one sentence for an invalid action, ValueError if the space cannot express the action.
        """
        return self.spaces.encode(self.game.parse_action(action))

    def render(self) -> str:
        return self.game.feedback(self.game.outcomes[-1]) if self.game.outcomes else self.game.no_history

    def _info(self, outcome: Outcome | None) -> dict[str, Any]:
        game = self.game
        info: dict[str, Any] = {
            "seed": self._seed,
            "ranked": False,
            "feedback": game.feedback(outcome) if outcome else "",
            "prompt": "" if game.finished else self.spaces.prompt(),
        }
        if game.finished:
            info["score"] = game.score(game.instance, game.outcomes, game.periods, game.variant).value
        return info
