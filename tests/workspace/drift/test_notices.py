"""Notices of a watch: given once on Home, on its page and by webhook, until a member has seen them."""

import json

import pytest

from tests.workspace.drift.conftest import replay, replay_scored


@pytest.fixture
def hook(owner):
    from workspace.webhooks.services import webhook_create

    return webhook_create(actor=owner, url="http://127.0.0.1:9/drift", events=["watch.noticed"])[0]


def sentences(watch):
    return list(watch.notices.order_by("id").values_list("sentence", flat=True))


def events(hook):
    return [json.loads(delivery.event.body)["data"] for delivery in hook.deliveries.order_by("id")]


@pytest.mark.long
def test_another_model_tier_or_upstream_is_reported_once_with_its_first_call(watched, maker, hook, page):
    watch = watched()
    replay(watch, 2)
    maker.named = {"model": "gpt-a-2026-09-09", "service_tier": "scale", "provider": "South"}
    replay(watch, 2)
    run = watch.rounds.get(number=4).experiment.runs.order_by("id").first()
    first = f"first in run {run.pk}, period 0; the baseline has only"
    assert sentences(watch) == [
        f"Small model: New answering model: gpt-a-2026-09-09, {first} gpt-a-2026-01-01.",
        f"Small model: New service tier: scale, {first} default.",
        f"Small model: New upstream: South, {first} North.",
    ]
    home = page.get("/").text
    assert all(home.count(sentence) == 1 for sentence in sentences(watch))
    told = events(hook)
    assert [event["watch"]["sentence"] for event in told] == sentences(watch)
    assert told[0]["watch"]["kind"] == "model" and told[0]["watch"]["round"] == 4
    assert (
        told[0]["watch"]["url"].endswith(f"/drift/{watch.pk}/") and told[0]["watch"]["agent"]["slug"] == "small-model"
    )
    assert told[0]["experiment"]["id"] == watch.rounds.get(number=4).experiment_id
    # Seen notices leave Home and are not repeated.
    assert page.post(f"/drift/{watch.pk}/seen/").status_code == 302
    replay(watch)
    assert "New answering model" not in page.get("/").text and len(events(hook)) == 3
    assert "seen by alice" in page.get(f"/drift/{watch.pk}/").text


@pytest.mark.long
def test_a_constantly_varying_router_gives_no_notice(watched, maker, hook):
    maker.named["provider"] = lambda call: "North" if call % 4 else "South"
    watch = watched()
    replay(watch, 4)
    assert sentences(watch) == [] and events(hook) == []
    maker.named["provider"] = "West"
    replay(watch, 2)
    (sentence,) = sentences(watch)
    assert "North was the upstream of 0 % of the calls, in the baseline 7" in sentence


def test_a_changed_score_is_reported_once_and_again_after_it_was_seen(watched, hook, page):
    watch = watched()
    for levels in ((0.8, 0.82), (0.81,), (0.5,), (0.5,), (0.5,)):
        replay_scored(watch, *levels)
        if watch.rounds.count() == 5:
            page.post(f"/drift/{watch.pk}/seen/")
    told = (
        "Small model: The score is 31.0 points lower than in the baseline, over 6 instances (p = 0.0014; up to 0.0042 "
    )
    assert [sentence.startswith(told) for sentence in sentences(watch)] == [True, True]
    assert [row["watch"]["round"] for row in events(hook)] == [4, 6]
