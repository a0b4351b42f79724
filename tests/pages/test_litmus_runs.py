"""Runs and experiments of the litmus tests: scores in their own units, variants told apart, seats side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from environments.declarations import POINTS
from environments.registry import score_format, variant_words

pytestmark = pytest.mark.django_db

TESTS = ("efficiency_vs_equality", "collusiveness_vs_competitiveness", "patience_vs_impatience")


@pytest.fixture
def litmus(played: Callable[..., Any]) -> Callable[..., Any]:
    def play(slug: str, environment: str, **options: Any) -> Any:
        values = {"environments": (environment,), "difficulties": ("STANDARD",), "periods": 3} | options
        return played(slug, **values)

    return play


def test_a_patience_score_is_a_rate_and_other_litmus_scores_are_shares() -> None:
    assert score_format("patience_vs_impatience").text(0.057) == "5.7 %"
    assert score_format("efficiency_vs_equality").text(0.23) == "0.23"
    assert score_format("pricing") is POINTS
    assert [score_format("collusiveness_vs_competitiveness").short(value) for value in (0.234, 0.0, 1.0)] == [
        ".23",
        ".00",
        "1",
    ]


def test_variants_have_words_of_their_own() -> None:
    assert variant_words("efficiency_vs_equality", "efficiency") == "efficiency prompt"
    assert variant_words("collusiveness_vs_competitiveness", "single_agent") == "one seller alone"


def test_an_experiment_tells_its_variants_apart(page: Any, litmus: Callable[..., Any]) -> None:
    experiment = litmus(
        "equality-greedy-equality", "efficiency_vs_equality", variants=("main", "efficiency", "equality")
    )
    text = page.get(f"/experiments/{experiment.pk}/").content.decode()
    for words in ("main prompt", "efficiency prompt", "equality prompt"):
        assert f"<small>{words}</small>" in text
    assert "competency 1.00" in text or "competency 0." in text


def test_only_experiments_with_litmus_runs_load_their_scores(
    page: Any, litmus: Callable[..., Any], played: Callable[..., Any]
) -> None:
    experiment = litmus("collusion-nash", "collusiveness_vs_competitiveness")
    assert (
        f'hx-get="/experiments/{experiment.pk}/litmus/"' in page.get(f"/experiments/{experiment.pk}/").content.decode()
    )
    other = played("random")
    assert "/litmus/" not in page.get(f"/experiments/{other.pk}/").content.decode().split("</header>", 1)[1]


@pytest.mark.parametrize(
    ("slug", "environment", "words"),
    [
        ("equality-greedy-equality", TESTS[0], ("Pay gap so far", "plane.json")),
        ("collusion-nash", TESTS[1], ("Best response", "Nash price")),
        ("patience-rate", TESTS[2], ("Chose later", "asked 20 times")),
    ],
)
def test_a_period_says_what_happened(
    page: Any, litmus: Callable[..., Any], slug: str, environment: str, words: tuple[str, ...]
) -> None:
    run = litmus(slug, environment).runs.get()
    text = page.get(f"/runs/{run.pk}/").content.decode()
    assert all(word in text for word in words)
    assert page.get(f"/runs/{run.pk}/hidden/").status_code == 200


@pytest.mark.parametrize("variant", ["efficiency", "equality"])
def test_a_run_under_one_goal_shows_how_near_it_is(page: Any, litmus: Callable[..., Any], variant: str) -> None:
    run = litmus("equality-greedy-equality", TESTS[0], variants=(variant,)).runs.get()
    assert "Goal of this prompt" in page.get(f"/runs/{run.pk}/").content.decode()


def test_a_seller_alone_has_an_optimum_instead_of_a_rival(page: Any, litmus: Callable[..., Any]) -> None:
    run = litmus("collusion-nash", TESTS[1], variants=("single_agent",)).runs.get()
    text = page.get(f"/runs/{run.pk}/").content.decode()
    assert "This seller is alone" in text and "Converged" in text


def test_notes_and_transcripts_of_two_seats_stand_side_by_side(page: Any, litmus: Callable[..., Any]) -> None:
    run = litmus("collusion-nash", TESTS[1]).runs.get()
    assert 'class="notes pair"' in page.get(f"/runs/{run.pk}/").content.decode()
    text = page.get(f"/runs/{run.pk}/periods/1/?tab=transcript").content.decode()
    assert 'class="transcript pair"' in text
    assert text.count('<section class="seat">') == 2


def test_each_answer_of_a_survey_is_told_with_its_question(page: Any, litmus: Callable[..., Any]) -> None:
    run = litmus("patience-rate", TESTS[2]).runs.get()
    notes = page.get(f"/runs/{run.pk}/periods/1/").content.decode()
    assert "question 20: " in notes and "no call" not in notes
    text = page.get(f"/runs/{run.pk}/periods/1/?tab=transcript").content.decode()
    assert text.count("Reads as <b>now</b>") + text.count("Reads as <b>later</b>") == 20
    assert text.count("options in reverse order") == 10
    assert "System prompt" not in text


@pytest.mark.parametrize("variant", ["interest_rate", "user_name"])
def test_the_other_prompts_of_patience_have_figures_too(page: Any, litmus: Callable[..., Any], variant: str) -> None:
    run = litmus("patience-rate", TESTS[2], variants=(variant,), periods=25).runs.get()
    assert page.get(f"/runs/{run.pk}/").status_code == 200
    assert page.get(f"/runs/{run.pk}/figure.json").json()["data"]
