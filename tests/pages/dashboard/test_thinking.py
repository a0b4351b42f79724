"""The thinking of models on the pages of a run: folded, with its size, and escaped."""

import pytest

from agents.providers.learned import Learned
from pages.dashboard.selectors.runs.page import request_lines
from runs.engine.advance import advance
from runs.models import Exchange, Period, Run
from tests.cast import HOSTILE, think
from tests.emulators.families import FAMILIES
from tests.emulators.player import RotePlayer
from tests.emulators.server import Emulator
from tests.layout import check_markup


@pytest.fixture
def run(played):
    return played("random", periods=2).runs.get()


@pytest.fixture
def transcript(page, run):
    return lambda: page.get(f"/runs/{run.pk}/periods/0/?tab=transcript").text


def test_hostile_thinking_is_escaped_and_folded_with_its_size_on_both_tabs(page, run, transcript):
    think(run)
    for text in (transcript(), page.get(f"/runs/{run.pk}/periods/0/").text):
        assert '<b>Thinking</b> <span class="faint">250 tokens</span>' in text
        assert "&lt;script&gt;alert(1)" in text and "<script>alert(1)" not in text
        check_markup(text)
        fold = text[: text.index("<b>Thinking</b>")].rpartition("<details")[2]
        assert " open" not in fold


def test_a_transcript_states_whether_the_thinking_is_missing_or_was_left_out(run, transcript):
    assert "Thinking" not in transcript()
    think(run, "Hm, " * 5, tokens=0)
    assert '<span class="faint">20 characters</span>' in transcript()
    think(run, "", sent={"without_thinking": True}, changes="2 blocks <b>")
    text = transcript()
    assert "Thinking, 250 tokens: the provider does not show it." in text
    assert "Sent without the earlier thinking of this chat" in text and "2 blocks &lt;b&gt;" in text


def test_a_transcript_explains_a_refused_reply_and_marks_estimated_tokens(run, transcript):
    usage = {"input_tokens": 10, "output_tokens": 5, "estimated": True}
    think(run, stop="invalid", fault="<i>No JSON</i>", usage=usage)
    Exchange.objects.update(input_tokens=10, output_tokens=5)
    text = transcript()
    assert "The provider could not use this reply: &lt;i&gt;No JSON" in text
    assert "5 out (250 of them thinking) · estimated" in text


def test_thinking_tokens_are_summed_by_period_and_run(page, launch, model_agent):
    with Emulator(FAMILIES["claude-opus-5-5"], RotePlayer()) as emulator:
        agent = model_agent(Wire(emulator), "anthropic", reasoning=True)
        agent.model = emulator.model.id
        agent.save()
        run = launch(agent.slug, periods=2).runs.get()
        advance(run.pk)
    run = Run.objects.get(pk=run.pk)
    by_call = sum(Exchange.objects.values_list("reasoning_tokens", flat=True))
    assert run.is_finished and 0 < run.reasoning_tokens < run.output_tokens
    assert run.reasoning_tokens == by_call == sum(Period.objects.values_list("reasoning_tokens", flat=True))
    text = page.get(f"/runs/{run.pk}/periods/0/").text
    assert f"{run.reasoning_tokens} thinking" in text and "of them thinking" in text
    assert "Asked by Messages, thinking adaptive, tools not forced, output limit 32,000" in text
    agent_page = page.get(f"/agents/{agent.slug}/").text
    assert "What its provider takes" in agent_page
    assert all(sentence in agent_page for sentence in Learned(refused=("tool_choice",)).sentences)


class Wire:
    """An emulator under the address that `model_agent` asks for."""

    def __init__(self, emulator):
        self.emulator = emulator

    def base_url(self, wire):
        return self.emulator.base_url


def test_a_run_lists_the_conditions_of_each_of_its_models(launch, agent):
    run = launch("gpt-5").runs.get()
    assert request_lines(run) == []
    sent = {"wire": "responses", "effort": "medium", "max_tokens": 32_000, "left_out": ["include", "temperature"]}
    run.conditions = {"seat_0": sent | {"forced": False, "tier": "flex", "model": "gpt-6.2-sol-2026-11-17"}}
    line = (
        "by Responses, effort medium, tools not forced, output limit 32,000, without the temperature, service tier flex; "
        "gpt-6.2-sol-2026-11-17 answered"
    )
    assert request_lines(run) == [f"Asked {line}"]
    run.conditions |= {"seat_1": {"wire": "chat", "model": run.agent.model, "tier": "default"}}
    assert request_lines(run) == [f"Seat 0 asked {line}", "Seat 1 asked by Chat Completions"]
    run.conditions |= {"seat_0": run.conditions["seat_1"]}
    assert request_lines(run) == ["Asked by Chat Completions"]


def test_long_thinking_is_truncated_only_beside_the_notes(page, run, transcript):
    think(run, HOSTILE * 60)
    whole = HOSTILE.replace("<", "&lt;").replace(">", "&gt;") * 60
    assert whole.replace("\0", "") in transcript().replace("\0", "")
    assert "(the first 16,000 of" in page.get(f"/runs/{run.pk}/periods/0/").text
