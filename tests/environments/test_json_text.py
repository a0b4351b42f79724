"""JSON of unknown origin is refused by limits that are the same on every Python, and quickly."""

from __future__ import annotations

import contextlib
import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environments.json_text import MOST_CHARACTERS, MOST_DEPTH, NotJSON, read_json

REFUSED = {
    "too deep a list": ("[" * (MOST_DEPTH + 1) + "]" * (MOST_DEPTH + 1), "is nested more than 64 deep"),
    "too deep an object": ('{"a":' * 5000 + "1" + "}" * 5000, "is nested more than 64 deep"),
    "deep and never closed": ("[" * 100_000, "is nested more than 64 deep"),
    "deep behind an open string": ('["' + '\\"' * 9 + '", ' + "[" * 100, "is nested more than 64 deep"),
    "long": (" " * (MOST_CHARACTERS + 1), "is longer than 4,194,304 characters"),
    "digits": ("9" * 1001, "has a number of 1,001 digits"),
    "thousands of digits": ("[" + "9" * 5000 + "]", "has a number of 5,000 digits"),
    "out of range": ("[1e999]", "has a number that is out of range"),
    "NaN": ('{"a": NaN}', "has NaN, which is not a number in JSON"),
    "infinity": ("[-Infinity]", "has -Infinity, which is not a number in JSON"),
    "a key twice": ('{"a": 1, "a": 2}', "has an object with the same key twice"),
    "a key twice inside": ('[{"b": {"a": 1, "a": 1}}]', "has an object with the same key twice"),
    "nothing": ("", "is not JSON"),
    "half": ('{"a": ', "is not JSON"),
    "two values": ("1 2", "is not JSON"),
    "bytes that are no text": (b'"\xff"', "is not JSON"),
}


@pytest.mark.parametrize(("text", "reason"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_json_or_beyond_a_limit_is_refused_in_words(text: str | bytes, reason: str) -> None:
    with pytest.raises(NotJSON, match=f"^{reason}$"):
        read_json(text)


def test_brackets_in_texts_are_not_nesting() -> None:
    data = {"a": ["[" * 100_000, "\\", '"' + "{" * 100, {"[" * 99: "]"}]}
    assert read_json(json.dumps(data)) == data
    deepest = "[" * MOST_DEPTH + "]" * MOST_DEPTH
    assert read_json(deepest) and read_json(f"[{deepest[1:-1]},{deepest[1:-1]}]")


def test_what_was_paid_for_is_read_as_far_as_possible() -> None:
    found = read_json('{"a": 1, "a": [NaN, 1e999, ' + "9" * 5000 + "]}", lenient=True)
    assert [str(value) for value in found["a"]] == ["nan", "inf", "inf"]
    with pytest.raises(NotJSON, match="deep"):
        read_json("[" * 5000 + "]" * 5000, lenient=True)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=80,
)


@settings(max_examples=200, deadline=None)
@given(VALUES, st.booleans())
def test_everything_else_is_read_as_the_standard_library_reads_it(value: object, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert read_json(text) == read_json(text.encode()) == json.loads(text)


HOSTILE = {
    "pairs of brackets": "[" + "[]," * (MOST_CHARACTERS // 3 - 2) + "0]",
    "strings": "[" + '"",' * (MOST_CHARACTERS // 3 - 2) + "0]",
    "escapes": '["' + "\\" * (MOST_CHARACTERS - 4) + '"]',
    "quotes": '"' * MOST_CHARACTERS,
    "open brackets": "[" * MOST_CHARACTERS,
    "minus signs": "-" * MOST_CHARACTERS,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_the_longest_hostile_texts_are_read_or_refused_in_linear_time(text: str) -> None:
    started = time.process_time()
    with contextlib.suppress(NotJSON):
        read_json(text)
    assert time.process_time() - started < 5
