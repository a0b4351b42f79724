"""Untrusted JSON and dictionaries of models: parsed if valid, refused with a sentence, always fast."""

import ast
import contextlib
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environments.base import ToolError
from environments.json_text import MOST_CHARACTERS, MOST_DEPTH, NotJSON, read_json
from environments.literals import MAX_LENGTH, parse_flat_dict
from tests.yardstick import grows_linearly

REFUSED = {
    "too deep a list": ("[" * (MOST_DEPTH + 1) + "]" * (MOST_DEPTH + 1), "is nested more than 64 deep"),
    "too deep an object": ('{"a":' * 5000 + "1" + "}" * 5000, "is nested more than 64 deep"),
    "deep and never closed": ("[" * 100_000, "is nested more than 64 deep"),
    "deep behind an open string": ('["' + '\\"' * 9 + '", ' + "[" * 100, "is nested more than 64 deep"),
    "long": (" " * (MOST_CHARACTERS + 1), "is longer than 4,194,304 characters"),
    "digits": ("9" * 1001, "has a number of 1,001 digits"),
    "out of range": ("[1e999]", "has a number that is out of range"),
    "NaN": ('{"a": NaN}', "has NaN, which is not a number in JSON"),
    "infinity": ("[-Infinity]", "has -Infinity, which is not a number in JSON"),
    "a key twice": ('{"a": 1, "a": 2}', "has an object with the same key twice"),
    "a key twice inside": ('[{"b": {"a": 1, "a": 1}}]', "has an object with the same key twice"),
    "nothing": ("", "is not JSON"),
    "half": ('{"a": ', "is not JSON"),
    "two values": ("1 2", "is not JSON"),
    "bytes that are no text": (b'"\xff"', "is not JSON, which is text in UTF-8"),
    "a byte order mark": (b'\xef\xbb\xbf{"a": 1}', "is not JSON, which has no byte order mark"),
}


@pytest.mark.parametrize(("text", "reason"), REFUSED.values(), ids=REFUSED)
def test_invalid_and_oversized_json_is_refused_with_a_reason(text, reason):
    with pytest.raises(NotJSON, match=f"^{reason}$"):
        read_json(text)


def test_brackets_in_texts_are_not_nesting():
    data = {"a": ["[" * 100_000, "\\", '"' + "{" * 100, {"[" * 99: "]"}]}
    assert read_json(json.dumps(data)) == data
    deepest = "[" * MOST_DEPTH + "]" * MOST_DEPTH
    assert read_json(deepest) and read_json(f"[{deepest[1:-1]},{deepest[1:-1]}]")


def test_paid_replies_are_parsed_leniently():
    found = read_json('{"a": 1, "a": [NaN, 1e999, ' + "9" * 5000 + "]}", lenient=True)
    assert [str(value) for value in found["a"]] == ["nan", "inf", "inf"]
    with pytest.raises(NotJSON, match="deep"):
        read_json("[" * 5000 + "]" * 5000, lenient=True)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=80,
)


@pytest.mark.long
@settings(max_examples=100)
@given(VALUES, st.booleans())
def test_valid_json_is_parsed_like_the_standard_library_parses_it(value, ascii_only):
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert read_json(text) == read_json(text.encode()) == json.loads(text)


HOSTILE = {
    "pairs of brackets": lambda length: "[" + "[]," * (length // 3 - 2) + "0]",
    "escapes": lambda length: '["' + "\\" * (length - 4) + '"]',
    "quotes": lambda length: '"' * length,
    "open brackets": lambda length: "[" * length,
}


@pytest.mark.sampled
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_the_longest_hostile_json_is_parsed_or_refused_in_linear_time(text):
    def read(length):
        with contextlib.suppress(NotJSON):
            read_json(text(length))

    assert grows_linearly(read, MOST_CHARACTERS)


LONG = MAX_LENGTH - 20
HOSTILE = {
    "digits and a letter": lambda length: "{'a': " + "1" * length + "x",
    "exponent and a letter": lambda length: "{'a': 1e" + "1" * length + "x",
    "signs": lambda length: "{'a': " + "+-" * (length // 2),
    "open string of escapes": lambda length: "{'a': '" + "\\x" * (length // 2),
    "backslashes": lambda length: '{"' + "\\" * length,
    "quotes": lambda length: "{" + "'" * length,
    "spaces": lambda length: "{" + " " * length + "x",
    "nesting": lambda length: "{'a':" * (length // 5),
    "lists": lambda length: "{'a': " + "[" * length,
    "many entries": lambda length: "{" + ",".join(f"'{i}':{i}" for i in range(length // 13)) + "}",
    "unicode escapes": lambda length: '{"a": "' + "\\u0041" * (length // 6) + '"}',
    "names of characters": lambda length: "{'a': '" + "\\N{DIGIT ONE}" * (length // 13) + "'}",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_the_longest_hostile_arguments_are_answered_in_linear_time(text):
    def parse(length):
        try:
            parse_flat_dict(text(length), "plan")
        except ToolError as error:
            assert len(str(error)) < 400

    assert len(text(LONG)) <= MAX_LENGTH
    assert grows_linearly(parse, LONG)


scalars = st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False)
words = st.text(st.characters(codec="utf-8"), max_size=12)


@pytest.mark.long
@settings(max_examples=100)
@given(data=st.dictionaries(words, scalars | words, max_size=8))
def test_valid_flat_dicts_are_parsed_like_python_and_json_parse_them(data):
    assert parse_flat_dict(repr(data), "plan") == ast.literal_eval(repr(data)) == data
    assert parse_flat_dict(json.dumps(data), "plan") == data
    assert parse_flat_dict(json.dumps(data, ensure_ascii=False, indent=2), "plan") == data
    assert parse_flat_dict(data, "plan") == data


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{}", {}),
        (" {'a': 1,} ", {"a": 1}),
        ("{'a': +1, 'b': -.5, 'c': 1e3, 'd': 2.}", {"a": 1, "b": -0.5, "c": 1000.0, "d": 2.0}),
        ("{'a': True, 'b': null, 'c': false}", {"a": True, "b": None, "c": False}),
        ('{"it\'s": \'say "hi"\'}', {"it's": 'say "hi"'}),
        ('{"it\\\'s": "\\x41"}', {"it's": "A"}),
        ("{'a': Infinity}", {"a": math.inf}),
        ("{'a': 1e999}", {"a": math.inf}),
    ],
)
def test_dictionaries_as_models_write_them_are_parsed(text, value):
    assert parse_flat_dict(text, "plan") == value


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{" + " " * MAX_LENGTH + "}", "at most 65,536"),
        ("{'a': 1, \"a\": 2}", "'a' appears twice"),
        ("I would buy Offer_1", "^plan could not be read as a dictionary"),
        ("{'a': many}", "neither quoted text nor a number"),
        ("{'a': 1} please", "nothing after it"),
    ],
    ids=["long", "twice", "prose", "bare word", "more"],
)
def test_refusals_state_the_argument_and_the_problem(text, says):
    with pytest.raises(ToolError, match=says):
        parse_flat_dict(text, "plan")
