"""manage.py estimate: the arguments of launch, and nothing is launched."""

from __future__ import annotations

import json

import pytest
from django.core.management import call_command

from accounts.models import Endpoint
from runs.models import Agent, Experiment

pytestmark = pytest.mark.django_db

WORDS = ("estimate", "--environment", "pricing", "--difficulty", "BASIC", "--seeds", "0-2", "--periods", "10")


def output(capsys, *words):
    call_command(*words)
    return capsys.readouterr().out


def test_it_prints_calls_tokens_dollars_and_seconds(capsys, organization):
    printed = json.loads(output(capsys, *WORDS, "--agent", "gpt-4-1", "random", "--json"))
    assert set(printed) >= {"runs", "periods", "calls", "input_tokens", "output_tokens", "cost_usd", "seconds", "basis"}
    assert (printed["runs"], printed["periods"], printed["calls"]) == (6, 60, 60)
    for spread in (printed["cost_usd"], printed["seconds"], printed["input_tokens_range"]):
        assert 0 < spread["low"] < spread["expected"] < spread["high"]
    assert not Experiment.objects.exists()


def test_it_prints_the_same_for_people(capsys, organization):
    printed = output(capsys, *WORDS, "--agent", "gpt-4-1")
    assert printed.startswith("3 runs, at most 30 periods\nCalls: about 60\nInput tokens: about ")
    assert "Cost: about $" in printed


def test_agents_made_on_the_spot_are_not_kept(capsys, organization):
    before = set(Agent.objects.values_list("slug", flat=True)), Endpoint.objects.count()
    spec = "openai-compatible:house-1@http://127.0.0.1:9/v1"
    printed = json.loads(output(capsys, *WORDS, "--agent", spec, "openai:gpt-4o", "--json"))
    assert (printed["calls"], printed["cost_usd"]) == (120, None)
    assert (set(Agent.objects.values_list("slug", flat=True)), Endpoint.objects.count()) == before
    listed = json.loads(output(capsys, *WORDS, "--agent", "openai:gpt-4o", "--json"))
    assert listed["cost_usd"]["expected"] > 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--agent", "gpt-99"), "There is no agent 'gpt-99'."),
        (("--agent", "gpt-4-1", "--variant", "loud"), "The chosen environments have no variant 'loud'."),
        (("--agent", "gpt-4-1", "--budget", "much"), "--budget must be an amount in dollars, not 'much'."),
    ],
)
def test_wrong_use_ends_with_a_sentence(capsys, organization, words, sentence):
    with pytest.raises(SystemExit) as exit:
        call_command(*WORDS, *words)
    assert exit.value.code == 2
    assert capsys.readouterr().err.startswith(sentence)
