"""Logs that are odd but as the published code may write them are read whole, and what is in them comes out as it went in."""

import pytest

from runs.models import Run
from runs.transcripts import period_transcripts
from tests.transfer.published_chats import write_chats
from tests.transfer.published_log import edit
from tests.transfer.published_replies import MODELS, call, text
from transfer.writing import period_records

SEPARATORS = "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\x1dh\x1ei"
NOTES = {
    "empty": "",
    "quotes": 'She said "no", \'yes\' and "",\n\n=1+1,"',
    "separators": SEPARATORS,
    "line ends": "one\r\ntwo\rthree\n",
    "backslashes": "\\n \\' \\\\ \\u0041 \\x41 {'role': 'user'} [",
    "letters": "é😀 \u202e right to left \ufeff",
    "looks like a chat": "[{'role': 'assistant', 'content': 'x'}, {'role': 'tool', 'content': 'y'}]",
}


def writing(note):
    said = [[call("write_notes", notes=note)], [call("get_attempt_number")]]
    return lambda talk: said[talk.query] if talk.query < 2 else [talk.action]


@pytest.fixture
def whole(imported):
    def store():
        run = imported()
        assert (run.state, run.source.differences) == ("finished", [])
        assert "Replies that could not be read" not in run.source.facts
        return run

    return store


@pytest.mark.parametrize("wire", MODELS)
@pytest.mark.parametrize("note", NOTES.values(), ids=NOTES)
def test_notes_of_every_kind_come_out_as_they_went_in(note, wire, whole, tmp_path):
    write_chats(tmp_path, "scheduling", wire, writing(note))
    run = whole()
    assert [record["notes"] for record in period_records(Run.objects.all())] == ([[note]] * 2 if note else [[]] * 2)
    first = period_transcripts(run, 0)["seat_0"].exchanges[0].calls[0]
    assert first.arguments == {"notes": note}
    # A note that looks like a message hides which answer is whose; then none is told.
    assert first.result in ("Successfully wrote notes.", "" if "role" in note else None)


def test_text_with_characters_that_end_lines_elsewhere_does_not_end_rows(whole, tmp_path):
    write_chats(tmp_path, "scheduling", "anthropic", writing("n"))
    told = lambda rows: [row | {"system": row["system"] and SEPARATORS} for row in rows]  # noqa: E731
    edit(next(tmp_path.rglob("logs.csv")), told, line_end="\n")
    assert whole().source.prompts["system"] == SEPARATORS


@pytest.mark.parametrize("said", ["a\rb", "a\r", "\ra", 'a\r"b"', "a\r\nb"])
def test_a_lone_carriage_return_in_a_text_does_not_end_a_row(said, whole, tmp_path):
    """Python's writer leaves it without quotes where rows end in a line feed, as they do for the published code."""
    write_chats(tmp_path, "scheduling", "anthropic", writing("n"))
    told = lambda rows: [row | {"response": said} for row in rows]  # noqa: E731
    edit(next(tmp_path.rglob("logs.csv")), told, line_end="\n")
    assert whole().periods_played == 2


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_byte_order_mark_and_line_ends_of_windows(line_end, mark, whole, tmp_path):
    write_chats(tmp_path, "procurement", "anthropic", writing("n"))
    for path in tmp_path.rglob("*.csv"):
        edit(path, list, mark=mark, line_end=line_end)
    assert whole().periods_played == 2


def without_usage(completion):
    completion.pop("usage", None)
    completion.pop("usage_metadata", None)


def with_empty_details(completion):
    usage = completion.get("usage") or completion["usage_metadata"]
    usage |= {"prompt_tokens_details": None, "cache_read_input_tokens": None, "cached_content_token_count": None}


@pytest.mark.parametrize("wire", MODELS)
@pytest.mark.parametrize(("change", "tokens"), [(without_usage, 0), (with_empty_details, 6 * 60)])
def test_tokens_that_are_not_told_count_as_none(change, tokens, wire, whole, tmp_path):
    write_chats(tmp_path, "scheduling", wire, writing("n"), change=change)
    run = whole()
    assert (run.input_tokens, run.cached_tokens, run.queries) == (tokens, 0, 6)


def test_thinking_is_no_text_and_calls_beside_it_are_kept(whole, tmp_path):
    def think(completion):
        thinking = {"type": "thinking", "thinking": "Secret.", "signature": "x"}
        completion["content"] = [thinking, {"type": "redacted_thinking", "data": "y"}, *completion["content"]]

    write_chats(tmp_path, "scheduling", "anthropic", writing("n"), change=think)
    first = period_transcripts(whole(), 0)["seat_0"].exchanges[0]
    assert (first.text, [made.name for made in first.calls]) == ("", ["write_notes"])


def test_what_a_model_says_when_it_refuses_is_shown(whole, tmp_path):
    def refuse(completion):
        choice = completion["choices"][0]
        if choice["message"]["content"]:
            choice |= {"finish_reason": "content_filter"}
            choice["message"] |= {"content": None, "refusal": "I cannot help."}

    script = lambda talk: [text("I cannot help.")] if talk.query == 0 else [talk.action]  # noqa: E731
    write_chats(tmp_path, "scheduling", "openai", script, change=refuse)
    first = period_transcripts(whole(), 0)["seat_0"].exchanges[0]
    assert (first.text, first.stop) == ("I cannot help.", "refusal")


def test_arguments_in_pythons_notation_are_a_valid_call_of_openai(whole, tmp_path):
    def as_python(completion):
        for made in completion["choices"][0]["message"].get("tool_calls", []):
            if made["function"]["name"] == "write_notes":
                made["function"]["arguments"] = "{'notes': 'it\\'s mine', 'sure': True}"

    write_chats(tmp_path, "scheduling", "openai", writing("n"), change=as_python)
    assert set(whole().notes.values_list("text", flat=True)) == {"it's mine"}


@pytest.mark.parametrize("wire", MODELS)
@pytest.mark.parametrize("number", [10**18, 10**300, -(10**300), 1e308])
def test_huge_numbers_in_a_call_are_stored_and_shown(number, wire, whole, page, tmp_path):
    def script(talk):
        return [[call("write_notes", notes="n", size=number)], [talk.action]][min(talk.query, 1)]

    write_chats(tmp_path, "scheduling", wire, script, created=10**12)
    run = whole()
    first = period_transcripts(run, 0)["seat_0"].exchanges[0].calls[0]
    assert first.arguments == {"notes": "n", "size": number}
    for tab in ("transcript", "raw"):
        assert page.get(f"/runs/{run.pk}/periods/0/?tab={tab}").status_code == 200
