"""Whatever JSON a server answers with, it is a reply or a reason to try again, and never an error of ours."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.errors import ProviderRetry
from agents.llm import Reply
from agents.options import LLMOptions
from agents.providers import PROVIDERS
from agents.providers.complaints import complaint_of
from tests.agents.conftest import KEY, request_of, turn_of

SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5))
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def objects(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Objects with some of the fields, each of them as expected or anything else; or anything instead."""
    return ANYTHING | st.fixed_dictionaries({}, optional={name: kind | ANYTHING for name, kind in fields.items()})


FUNCTION = objects(name=st.text(max_size=9), arguments=st.text(max_size=9) | ANYTHING.map(json.dumps))
CALL = objects(id=st.text(max_size=3), function=FUNCTION, extra_content=ANYTHING)
MESSAGE = objects(content=st.lists(objects(text=st.text())), tool_calls=st.lists(CALL), refusal=st.text())
CHOICE = objects(message=MESSAGE, finish_reason=st.sampled_from(["stop", "length"]), error=ANYTHING)
DETAILS = objects(cached_tokens=SCALARS, reasoning_tokens=SCALARS, thinking_tokens=SCALARS)
USAGE = objects(prompt_tokens=SCALARS, total_tokens=SCALARS, prompt_tokens_details=DETAILS, input_tokens=SCALARS)
BLOCK = objects(
    type=st.sampled_from(["text", "tool_use", "thinking"]), text=SCALARS, id=SCALARS, name=SCALARS, input=ANYTHING
)
BODIES = st.fixed_dictionaries(
    {}, optional={"choices": st.lists(CHOICE), "content": st.lists(BLOCK), "usage": USAGE, "model": SCALARS}
)


@pytest.mark.parametrize("name", ["anthropic", "openai"])
@settings(max_examples=60, deadline=None, database=None, derandomize=True)
@given(data=BODIES)
def test_any_body_is_read_stored_and_sent_back(name: str, data: dict[str, Any]) -> None:
    provider = PROVIDERS[name](LLMOptions(name, "any-model"), KEY)
    try:
        reply = provider.read(data, request_of())
    except ProviderRetry:
        return
    assert Reply.from_json(reply.as_json()) == reply
    assert len({call.id for call in reply.calls}) == len(reply.calls)
    json.dumps(provider.body(request_of(turn_of(reply, *("Fine." for _ in reply.calls)))), allow_nan=False)


@settings(max_examples=60, deadline=None, database=None, derandomize=True)
@given(body=st.text() | (objects(error=objects(message=ANYTHING, details=DETAILS)) | ANYTHING).map(json.dumps))
def test_any_complaint_is_read(body: str) -> None:
    complaint = complaint_of(body)
    assert all(isinstance(text, str) for text in (complaint.message, complaint.codes, complaint.parameter))
