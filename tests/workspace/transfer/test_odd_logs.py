"""Unusual logs that the published code may write are imported completely and unchanged."""

from itertools import cycle

import pytest

from runs.models import Run
from runs.transcripts import period_transcripts
from tests.workspace.transfer.published_chats import write_chats
from tests.workspace.transfer.published_log import edit
from tests.workspace.transfer.published_replies import MODELS, call, text
from workspace.transfer.writing.records import period_records

SEPARATORS = "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\x1dh\x1ei"
NOTES = [
    'She said "no", \'yes\' and "",\n\n=1+1,"',
    SEPARATORS,
    "one\r\ntwo\rthree\n",
    "\\n \\' \\\\ \\u0041 \\x41 {'role': 'user'} [",
    "é😀 \u202e right to left \ufeff",
]
CHAT_LIKE = "[{'role': 'assistant', 'content': 'x'}, {'role': 'tool', 'content': 'y'}]"


def writing(*notes):
    said = [*([call("write_notes", notes=note)] for note in notes), [call("get_attempt_number")]]
    return lambda talk: said[talk.query] if talk.query < len(said) else [talk.action]


@pytest.fixture
def whole(imported):
    def store():
        run = imported()
        assert (run.state, run.source.differences) == ("finished", [])
        assert "Replies that could not be read" not in run.source.facts
        return run

    return store


@pytest.mark.sampled
@pytest.mark.parametrize("wire", MODELS)
@pytest.mark.parametrize("notes", [["", *NOTES], [CHAT_LIKE]], ids=["odd", "like a chat"])
def test_notes_of_every_kind_survive_a_round_trip(notes, wire, whole, tmp_path):
    write_chats(tmp_path, "scheduling", wire, writing(*notes))
    run = whole()
    assert [record["notes"] for record in period_records(Run.objects.all())] == [[note for note in notes if note]] * 2
    made = [exchange.calls[0] for exchange in period_transcripts(run, 0)["seat_0"].exchanges[: len(notes)]]
    assert [one.arguments for one in made] == [{"notes": note} for note in notes]
    # A note that looks like a message makes answers ambiguous; then none is assigned.
    results = {"Successfully wrote notes."}
    assert {one.result for one in made} <= (results | {""} if CHAT_LIKE in notes else results)


def test_unusual_line_separators_in_a_text_do_not_end_rows(whole, tmp_path):
    """Python's writer leaves "\\r" without quotes where rows end in a line feed, as they do for the published code."""
    write_chats(tmp_path, "scheduling", "anthropic", writing("n"))
    said = cycle(["a\rb", "a\r", "\ra", 'a\r"b"', "a\r\nb"])
    told = lambda rows: [row | {"response": next(said), "system": row["system"] and SEPARATORS} for row in rows]  # noqa: E731
    edit(next(tmp_path.rglob("logs.csv")), told, line_end="\n")
    run = whole()
    assert (run.periods_played, run.source.prompts["system"]) == (2, SEPARATORS)


@pytest.mark.sampled
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_byte_order_mark_is_accepted_before_either_line_ending(line_end, whole, tmp_path):
    write_chats(tmp_path, "procurement", "anthropic", writing("n"))
    for path in tmp_path.rglob("*.csv"):
        edit(path, list, mark="\ufeff", line_end=line_end)
    assert whole().periods_played == 2


def without_usage(completion):
    completion.pop("usage", None)
    completion.pop("usage_metadata", None)


def with_empty_details(completion):
    usage = completion.get("usage") or completion["usage_metadata"]
    usage |= {"prompt_tokens_details": None, "cache_read_input_tokens": None, "cached_content_token_count": None}


@pytest.mark.parametrize("wire", MODELS)
@pytest.mark.parametrize(("change", "tokens"), [(without_usage, 0), (with_empty_details, 6 * 60)])
def test_missing_token_counts_are_zero(change, tokens, wire, whole, tmp_path):
    write_chats(tmp_path, "scheduling", wire, writing("n"), change=change)
    run = whole()
    assert (run.input_tokens, run.cached_tokens, run.queries) == (tokens, 0, 6)


def test_thinking_is_not_text_and_calls_beside_it_are_kept(whole, tmp_path):
    def think(completion):
        thinking = {"type": "thinking", "thinking": "Secret.", "signature": "x"}
        completion["content"] = [thinking, {"type": "redacted_thinking", "data": "y"}, *completion["content"]]

    write_chats(tmp_path, "scheduling", "anthropic", writing("n"), change=think)
    first = period_transcripts(whole(), 0)["seat_0"].exchanges[0]
    assert (first.text, [made.name for made in first.calls]) == ("", ["write_notes"])


def test_the_text_of_a_refusal_is_imported(whole, tmp_path):
    def refuse(completion):
        choice = completion["choices"][0]
        if choice["message"]["content"]:
            choice |= {"finish_reason": "content_filter"}
            choice["message"] |= {"content": None, "refusal": "I cannot help."}

    script = lambda talk: [text("I cannot help.")] if talk.query == 0 else [talk.action]  # noqa: E731
    write_chats(tmp_path, "scheduling", "openai", script, change=refuse)
    first = period_transcripts(whole(), 0)["seat_0"].exchanges[0]
    assert (first.text, first.stop) == ("I cannot help.", "refusal")


def test_openai_arguments_in_python_notation_are_a_valid_call(whole, tmp_path):
    def as_python(completion):
        for made in completion["choices"][0]["message"].get("tool_calls", []):
            if made["function"]["name"] == "write_notes":
                made["function"]["arguments"] = "{'notes': 'it\\'s mine', 'sure': True}"

    write_chats(tmp_path, "scheduling", "openai", writing("n"), change=as_python)
    assert set(whole().notes.values_list("text", flat=True)) == {"it's mine"}


@pytest.mark.sampled
@pytest.mark.parametrize("wire", MODELS)
def test_huge_numbers_in_a_call_are_stored_and_displayed(wire, whole, page, tmp_path):
    numbers = [10**18, 10**300, -(10**300), 1e308]

    def script(talk):
        return [call("write_notes", notes="n", size=numbers[talk.query])] if talk.query < 4 else [talk.action]

    write_chats(tmp_path, "scheduling", wire, script, created=10**12)
    run = whole()
    made = [exchange.calls[0] for exchange in period_transcripts(run, 0)["seat_0"].exchanges[:4]]
    assert [one.arguments for one in made] == [{"notes": "n", "size": number} for number in numbers]
    for tab in ("transcript", "raw"):
        assert page.get(f"/runs/{run.pk}/periods/0/?tab={tab}").status_code == 200
