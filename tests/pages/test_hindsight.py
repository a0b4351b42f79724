"""How far the estimate of a launch was off, on the experiment's page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from dashboard.selectors.hindsight import off
from runs.engine.advance import advance
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubProvider

pytestmark = pytest.mark.django_db(transaction=True)
TITLE = "Estimate and outcome"


@pytest.fixture
def stub() -> Iterator[StubProvider]:
    with StubProvider(ScriptedPlayer()) as stub:
        yield stub


def test_a_finished_experiment_shows_its_estimate_beside_what_it_took(
    page: Any, launch: Callable[..., Any], model_agent: Callable[..., Any], stub: StubProvider
) -> None:
    experiment = launch(model_agent(stub, input_price=2, output_price=8).slug, periods=3)
    assert TITLE not in page.get(f"/experiments/{experiment.pk}/").content.decode()
    run = experiment.runs.get()
    advance(run.pk)
    run.refresh_from_db()
    experiment.refresh_from_db()
    assert run.state == "finished"
    # Played by the real engine through a real server.
    assert experiment.estimate["calls"] == run.queries == 6
    assert abs(experiment.estimate["input_tokens"] / run.input_tokens - 1) < 0.25
    text = page.get(f"/experiments/{experiment.pk}/").content.decode()
    assert TITLE in text
    assert off(experiment.estimate["cost_usd"]["expected"], experiment.cost_nano / 1e9) in text
    assert f"<td>{off(experiment.estimate['input_tokens'], run.input_tokens)}</td>" in text


def test_baselines_and_experiments_without_an_estimate_show_nothing(page: Any, launch: Callable[..., Any]) -> None:
    experiment = launch("random", periods=2)
    advance(experiment.runs.get().pk)
    for estimate in (experiment.estimate, None):
        experiment.estimate = estimate
        experiment.save()
        assert TITLE not in page.get(f"/experiments/{experiment.pk}/").content.decode()


@pytest.mark.parametrize(
    ("expected", "actual", "words"),
    [
        (100, 100, "as expected"),
        (100, 100.4, "as expected"),
        (100, 88, "12 % less"),
        (100, 140, "40 % more"),
        (100, 350, "3.5 times as much"),
        (0, 0, "as expected"),
        (0, 3, "more"),
    ],
)
def test_the_difference_is_told_in_words(expected: float, actual: float, words: str) -> None:
    assert off(expected, actual) == words
