"""Chats are stored as in the published code, for each provider."""

from collections import defaultdict

import pytest

from runs.transcripts import period_transcripts
from tests.workspace.transfer.published_chats import write_chats
from tests.workspace.transfer.published_replies import MODELS, call, text

NOTE = "write_notes"


def text_and_call(talk):
    """Text beside a note, then, as the note may have been passed over, the note alone, then the action."""
    note = call(NOTE, notes=f"Note of {talk.game.period}, {talk.seat}.")
    return [[text("Let me write."), note], [note], [talk.action]][min(talk.query, 2)]


def always_text_first(talk):
    note = call(NOTE, notes=f"Note {talk.query} of {talk.game.period}, {talk.seat}.")
    spoken = [text("Let me see.")]
    return [spoken + [call("get_attempt_number")], spoken + [note], spoken + [note, talk.action]][min(talk.query, 2)]


def several_calls_at_once(talk):
    early, late = call(NOTE, notes="early"), call(NOTE, notes="late")
    return [[early, call("get_attempt_number"), early], [early, talk.action, late]][min(talk.query, 1)]


def a_chat_that_fails(talk):
    """The first chat ends with a call that fails; the note after it was never written."""
    if talk.chat == 0:
        return [[call(NOTE, notes="before")], [call("no_such_tool"), call(NOTE, notes="never")]][min(talk.query, 1)]
    return [talk.action]


def text_alone(talk):
    return [[text("I think.")], [call(NOTE, notes="thought")], [talk.action]][min(talk.query, 2)]


def without_text(script):
    """The published code dies at an action beside a text in OpenAI's form when it would end the chat."""
    return lambda talk: [block for block in script(talk) if block["type"] != "text" or talk.query == 0]


SCRIPTS = [text_and_call, several_calls_at_once, a_chat_that_fails, text_alone, always_text_first]


@pytest.mark.sampled
@pytest.mark.parametrize("game", ["procurement", "collusiveness_vs_competitiveness"])
@pytest.mark.parametrize("wire", MODELS)
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.__name__)
def test_notes_calls_and_results_match_the_chat(script, wire, game, imported, tmp_path):
    if wire == "openai" and script is always_text_first:
        script = without_text(script)
    told = write_chats(tmp_path, game, wire, script)
    run = imported()
    assert run.source.differences == []
    written = defaultdict(list)
    for note in run.notes.all():
        written[note.period_index, note.seat].append(note.text)
    assert written == told.notes
    assert told.calls == {
        (period, seat, exchange.attempt, exchange.step): [
            (made.name, made.result or None) for made in exchange.calls if not made.ignored
        ]
        for period in range(run.periods)
        for seat, talk in period_transcripts(run, period).items()
        for exchange in talk.exchanges
    }


@pytest.mark.long
def test_skipped_calls_are_counted_and_the_text_is_kept(imported, tmp_path):
    write_chats(tmp_path, "procurement", "openai", text_and_call)
    run = imported()
    assert run.source.facts["Calls beside a text"].startswith("2, passed over by the published code")
    first = period_transcripts(run, 0)["seat_0"].exchanges[0]
    assert (first.text, first.calls) == ("Let me write.", [])


def test_a_chat_that_contains_the_calls_is_trusted(imported, tmp_path):
    """Another version of the code may take calls beside a text: the chat that the next query was logged with decides."""
    write_chats(tmp_path, "scheduling", "openai", text_and_call)
    log = next(tmp_path.rglob("logs.csv"))
    taken = "[{'type': 'text', 'content': 'Let me write.'}], 'tool_calls': [{'id': 'call_write_notes'}]}, " + (
        "{'role': 'tool', 'tool_call_id': 'call_write_notes', 'content': 'Successfully wrote notes.'}"
    )
    log.write_text(log.read_text().replace("[{'type': 'text', 'content': 'Let me write.'}]}", taken))
    run = imported()
    first = period_transcripts(run, 0)["seat_0"].exchanges[0]
    assert [(made.name, made.result) for made in first.calls] == [(NOTE, "Successfully wrote notes.")]
    assert run.notes.filter(period_index=0).count() == 2
