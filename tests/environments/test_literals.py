"""Reading a dictionary that a model wrote: right where it is valid, quick and safe whatever it is."""

from __future__ import annotations

import ast
import json
import math
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environments.base import ToolError
from environments.literals import MAX_LENGTH, parse_flat_dict

LONG = MAX_LENGTH - 20
HOSTILE = {
    "digits": "{'a': " + "1" * LONG,
    "digits and a letter": "{'a': " + "1" * LONG + "x",
    "decimals and a letter": "{'a': 1." + "1" * LONG + "x",
    "exponent and a letter": "{'a': 1e" + "1" * LONG + "x",
    "points": "{'a': " + "1." * (LONG // 2),
    "signs": "{'a': " + "+-" * (LONG // 2),
    "open string": "{'a': '" + "x" * LONG,
    "open string of escapes": "{'a': '" + "\\x" * (LONG // 2),
    "backslashes": '{"' + "\\" * LONG,
    "quotes": "{" + "'" * LONG,
    "spaces": "{" + " " * LONG + "x",
    "spaces between": "{'a'" + " " * (LONG - 20) + ": 1 1",
    "braces": "{" * LONG,
    "nesting": "{'a':" * (LONG // 5),
    "lists": "{'a': " + "[" * LONG,
    "letters": "{'a': " + "x" * LONG,
    "commas": "{" + "," * LONG,
    "many entries": "{" + ",".join(f"'{i}':{i}" for i in range(LONG // 13)) + "}",
    "unicode escapes": '{"a": "' + "\\u0041" * (LONG // 6) + '"}',
    "names of characters": "{'a': '" + "\\N{DIGIT ONE}" * (LONG // 13) + "'}",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_the_longest_hostile_texts_are_answered_at_once(text: str) -> None:
    assert len(text) <= MAX_LENGTH
    started = time.process_time()
    try:
        parse_flat_dict(text, "plan")
    except ToolError as error:
        assert len(str(error)) < 400
    assert time.process_time() - started < 0.25


scalars = st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False)
words = st.text(st.characters(codec="utf-8"), max_size=12)


@settings(max_examples=300, deadline=None)
@given(data=st.dictionaries(words, scalars | words, max_size=8))
def test_valid_flat_dicts_read_as_python_and_json_read_them(data: dict[str, object]) -> None:
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
def test_what_models_write_is_read(text: str, value: object) -> None:
    assert parse_flat_dict(text, "plan") == value


def test_a_text_too_long_is_refused_before_it_is_read() -> None:
    with pytest.raises(ToolError, match="at most 65,536"):
        parse_flat_dict("{" + " " * MAX_LENGTH + "}", "plan")


def test_a_key_given_twice_is_refused() -> None:
    with pytest.raises(ToolError, match="'a' appears twice"):
        parse_flat_dict("{'a': 1, \"a\": 2}", "plan")


def test_refusals_name_the_argument_and_the_trouble() -> None:
    with pytest.raises(ToolError, match="^plan could not be read as a dictionary"):
        parse_flat_dict("I would buy Offer_1", "plan")
    with pytest.raises(ToolError, match="neither quoted text nor a number"):
        parse_flat_dict("{'a': many}", "plan")
    with pytest.raises(ToolError, match="nothing after it"):
        parse_flat_dict("{'a': 1} please", "plan")
