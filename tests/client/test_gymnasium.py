"""The games as Gymnasium environments: practice on public seeds."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.utils.env_checker import check_env

from agents.baselines.registry import BASELINES
from agents.episode import play_baseline
from econevals.gymnasium import environment_id
from econevals.gymnasium.spaces import SPACES
from econevals.practice import baseline_action, practice_game
from environments.registry import ENVIRONMENTS, GENERATION

WITHOUT_BOUND = ("maximum value is infinity", "minimum value is -infinity", "Constructing LpVariable")
"""Quantities and profits have no bound; the deprecation is PuLP's."""

EVERY_VARIANT = [(name, variant) for name in SPACES for variant in ENVIRONMENTS[name].variants]


def make(name, **options):
    return gymnasium.make(environment_id(name), **options)


def play(environment, seed, policy):
    """Play an episode to its end; the rewards and the last info."""
    observation, info = environment.reset(seed=seed)
    rewards, over = [], False
    while not over:
        observation, reward, over, truncated, info = environment.step(policy(observation))
        assert observation in environment.observation_space and not truncated
        rewards.append(reward)
    return rewards, info


def test_every_game_has_an_environment_named_after_its_title():
    assert [environment_id(name) for name in ENVIRONMENTS] == [
        "EconEvals/Procurement-v0",
        "EconEvals/Scheduling-v0",
        "EconEvals/Pricing-v0",
        "EconEvals/EfficiencyVersusEquality-v0",
        "EconEvals/CollusivenessVersusCompetitiveness-v0",
        "EconEvals/PatienceVersusImpatience-v0",
    ]


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "variant"), EVERY_VARIANT)
def test_the_checker_of_gymnasium_reports_no_error(name, variant):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        fewest = ENVIRONMENTS[name].variants[variant].fewest_periods
        check_env(make(name, variant=variant, periods=max(5, fewest)).unwrapped)
    # Sockets that earlier tests left to the garbage collector are not the environment's.
    said = [str(one.message) for one in found if not issubclass(one.category, ResourceWarning)]
    assert [sentence for sentence in said if not any(known in sentence for known in WITHOUT_BOUND)] == []


@pytest.mark.parametrize("name", SPACES)
def test_all_instances_of_a_difficulty_have_the_same_spaces(name):
    for difficulty in GENERATION[name].difficulties:
        games = [practice_game(name, difficulty, seed, with_reference=False) for seed in (0, 1, 7)]
        found = [SPACES[name](game) for game in games]
        assert len({str(one.action_space()) for one in found}) == 1
        assert len({str(one.observation_space()) for one in found}) == 1


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "difficulty", "slug", "options"),
    [
        ("procurement", "MEDIUM", "procurement-hill-climber", {}),
        ("scheduling", "HARD", "scheduling-knuth", {}),
        ("pricing", "HARD", "pricing-drift-tracker", {}),
        ("efficiency_vs_equality", "STANDARD", "equality-greedy-equality", {"variant": "equality"}),
        ("collusiveness_vs_competitiveness", "STANDARD", "collusion-best-response", {"periods": 20}),
    ],
)
def test_a_baseline_earns_the_same_as_in_the_loop_of_the_site(name, difficulty, slug, options):
    environment = make(name, difficulty=difficulty, **options)
    game = lambda: environment.unwrapped.game  # noqa: E731
    policy = lambda _: environment.unwrapped.encode(baseline_action(game(), slug, "seat_0"))  # noqa: E731
    rewards, info = play(environment, 3, policy)
    instance = game().instance
    played = play_baseline(BASELINES[slug], instance, ENVIRONMENTS[name], **options)
    score = played.score(instance, played.outcomes, played.periods, played.variant)
    assert info["score"] == pytest.approx(score.value, rel=1e-9)
    if played.outcomes[0].quality is not None:
        assert rewards == pytest.approx([outcome.quality for outcome in played.outcomes], rel=1e-9)


@pytest.mark.parametrize("name", ["pricing", "scheduling", pytest.param("procurement", marks=pytest.mark.long)])
def test_a_policy_plays_100_periods_of_the_hard_games(name):
    environment = make(name, difficulty="HARD")
    environment.action_space.seed(0)
    rewards, info = play(environment, 0, lambda _: environment.action_space.sample())
    assert len(rewards) == 100 and info["score"] is not None and info["ranked"] is False


@pytest.mark.long
def test_purchase_actions_are_feasible_and_cover_every_feasible_plan():
    environment = make("procurement").unwrapped
    environment.reset(seed=4)
    rng = np.random.default_rng(0)
    for _ in range(300):
        plan = environment.spaces.decode(rng.dirichlet(np.full(12, 0.3)) * rng.uniform(0, 1.5))
        assert environment.game.menu.is_feasible(plan)
        assert environment.spaces.decode(environment.encode(plan)) == plan
    with pytest.raises(ValueError, match="only plans within the budget"):
        environment.encode({"Offer_1": 10_000})


def test_an_observation_holds_the_printed_values():
    environment = make("pricing", difficulty="MEDIUM", render_mode="ansi")
    first, info = environment.reset(seed=2)
    assert first["price"].tolist() == [0, 0, 0, 0] and info["feedback"] == ""
    assert str(first["ceiling"][0]) in info["prompt"]
    seen, _, _, _, info = environment.step(np.full(4, 0.5))
    printed = [
        f"Price: {seen['price'][i]:.2f}\nQuantity: {seen['quantity'][i]:.2f}\nProfit: {seen['profit'][i]:.2f}"
        for i in range(4)
    ]
    assert all(text in info["feedback"] for text in printed)
    assert environment.render() == info["feedback"]


def test_the_rival_of_a_market_is_a_baseline_with_visible_prices():
    environment = make("collusiveness_vs_competitiveness", rival="collusion-nash", periods=2)
    environment.reset(seed=0)
    seen, reward, *_ = environment.step(np.array([0.5]))
    game = environment.unwrapped.game
    assert seen["rival_price"][0] == pytest.approx(game.instance.reference["nash_price"])
    assert reward == game.outcomes[0].result["profits"]["seat_0"]


def test_copies_of_an_environment_step_together():
    together = gymnasium.make_vec(environment_id("scheduling"), num_envs=3, vectorization_mode="sync")
    seen, _ = together.reset(seed=[0, 1, 2])
    assert seen["blocking_pairs"].shape == (3, 1, 2)
    _, rewards, _, _, infos = together.step(together.action_space.sample())
    assert rewards.shape == (3,) and infos["seed"].tolist() == [0, 1, 2]


def test_prices_above_the_ceiling_cannot_be_encoded():
    environment = make("pricing").unwrapped
    environment.reset(seed=0)
    with pytest.raises(ValueError, match="recommended ceiling"):
        environment.encode({"Product_1": 1e6})


def test_wrong_use_gets_a_clear_error():
    environment = make("pricing", periods=1).unwrapped
    with pytest.raises(ResetNeeded):
        environment.step(np.array([0.5]))
    environment.reset()
    with pytest.raises(InvalidAction):
        environment.step(np.array([1.5]))
    environment.step(np.array([0.5]))
    with pytest.raises(ResetNeeded):
        environment.step(np.array([0.5]))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"environment": "chess"}, "There is no environment 'chess'; there are procurement, .*"),
        (
            {"environment": "pricing", "difficulty": "EASY"},
            "There is no difficulty EASY; there are BASIC, MEDIUM, HARD.",
        ),
        (
            {"environment": "pricing", "variant": "x"},
            r"Pricing has no variant 'x'; it has main, shock_sensitivity, as_run, shock_sensitivity\+as_run.",
        ),
        (
            {"environment": "pricing", "variant": "shock_sensitivity", "periods": 60},
            "Pricing has 70 to 100 periods, so it cannot have 60.",
        ),
        ({"environment": "pricing", "periods": 101}, "Pricing has 1 to 100 periods, so it cannot have 101."),
        ({"environment": "pricing", "seed": -1}, "The seed must be a whole number from 0 to 4294967295."),
    ],
)
def test_a_game_that_does_not_exist_is_refused_in_a_sentence(options, sentence):
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        practice_game(**options)


def test_a_rival_that_does_not_play_the_game_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match="No baseline 'scheduling-knuth' plays Pricing; there are random, "):
        baseline_action(practice_game("pricing"), "scheduling-knuth", "seat_0")
