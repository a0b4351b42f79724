"""Launches by batch: the option is the same in form, API, file and command, and the estimate has both prices."""

import pytest

from runs.engine.advance import advance
from runs.estimating.estimates import estimate
from runs.launching.again import plan_as_command
from runs.launching.files import read_launch, written_launch
from runs.launching.plan import LaunchError
from runs.launching.request import request_as_plan
from runs.models import Agent, RunState
from tests.cast import LAUNCH_FORM
from tests.stub_provider import StubAnswer, StubProvider

PATIENCE = {"environments": ("patience_vs_impatience",), "difficulties": ("STANDARD",)}
FORM = LAUNCH_FORM | {
    **{"environments": ["patience_vs_impatience"], "difficulties": ["STANDARD"], "seeds": "0", "periods": "2"},
    "agents": ["gpt-4-1"],
}


@pytest.mark.parametrize(
    ("slugs", "options", "sentence"),
    [
        (("gpt-4-1",), {}, "Only surveys are asked by batch, and Pricing is not a survey."),
        (("random",), PATIENCE, "Only models are asked by batch, and none is chosen."),
    ],
)
def test_a_batch_needs_a_survey_and_a_model(plan, slugs, options, sentence):
    with pytest.raises(LaunchError) as error:
        plan(*slugs, batch=True, **options)
    assert error.value.errors == {"batch": sentence}


def test_a_batch_needs_the_own_endpoint_of_the_provider(plan, model_agent):
    with StubProvider(lambda *_: StubAnswer()) as stub:
        house = model_agent(stub, "anthropic")
    with pytest.raises(LaunchError) as error:
        plan(house.slug, batch=True, **PATIENCE)
    assert error.value.errors["batch"] == (
        f"{house.name} is not asked by batch: its endpoint is not OpenAI's or Anthropic's own."
    )


def test_the_batch_option_survives_a_round_trip_through_a_file(plan, organization):
    launched = plan("gpt-4-1", batch=True, **PATIENCE)
    assert plan_as_command(launched).endswith("--agent gpt-4-1 --batch")
    body = read_launch(written_launch(launched.as_spec()).encode())
    assert body.batch and request_as_plan(body, organization).as_spec() == launched.as_spec()
    assert "batch" not in written_launch(plan("gpt-4-1", **PATIENCE).as_spec())


def test_a_batch_estimate_has_both_prices(plan, organization):
    usual = estimate(plan("gpt-4-1", **PATIENCE), organization)
    halved = estimate(plan("gpt-4-1", batch=True, **PATIENCE), organization)
    assert usual.cost_nano == usual.by_call_nano == halved.by_call_nano
    assert halved.cost_nano == halved.by_batch_nano == usual.by_batch_nano == usual.cost_nano.times(0.5)
    assert halved.seconds.high == 24 * 3600
    assert halved.as_json()["cost_usd_by_batch"] == halved.as_json()["cost_usd"]
    assert estimate(plan("gpt-4-1"), organization).by_batch_nano is None


def test_the_form_offers_the_batch_and_its_price(page, organization):
    text = page.get("/experiments/new/").text
    assert (
        "By batch: half price, up to 24 hours" in text and 'data-only-for="environments patience_vs_impatience"' in text
    )
    assert "by batch" in page.post("/experiments/new/preview/", FORM).text
    assert "--batch" in page.post("/experiments/new/preview/", FORM | {"batch": "on"}).text
    page.post("/experiments/new/", FORM | {"batch": "on"})
    experiment = organization.experiments.get()
    assert experiment.spec["batch"] is True and experiment.runs.get().config["batch"] is True


def test_the_form_offers_a_batch_only_with_a_suitable_model(page, organization):
    Agent.objects.filter(organization=organization, baseline="").update(archived_at="2025-01-01T00:00Z")
    assert "By batch" not in page.get("/experiments/new/").text


def test_baselines_of_the_launch_play_as_usual(launch):
    runs = launch("gpt-4-1", "patience-rate", batch=True, periods=2, **PATIENCE).runs
    baseline = runs.get(agent__slug="patience-rate")
    assert "batch" not in baseline.config
    advance(baseline.pk)
    baseline.refresh_from_db()
    assert baseline.state == RunState.FINISHED
