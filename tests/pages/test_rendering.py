"""What a model wrote becomes harmless HTML, and new words are tinted."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runs.rendering import TAGS, highlight, mark_new, render_note

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[click](javascript:alert(1))",
    "![picture](http://attacker.example/x.png)",
    "<http://attacker.example>",
    "[a]: http://attacker.example\n\n[a]",
    "<style>body{display:none}</style>",
    "`<b>`",
    "&lt;script&gt;",
    "\ue000<script>\ue001",
]


def tags_of(html: str) -> set[str]:
    return set(re.findall(r"</?([a-z0-9]+)", html))


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("before", [None, "", "other words"])
def test_hostile_text_loads_and_runs_nothing(text: str, before: str | None) -> None:
    html = render_note(text, before)
    assert tags_of(html) <= TAGS | {"ins"}
    assert not re.search(r"<[^>]*(href|src|on\w+|style)\s*=", html)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_gives_only_known_tags_that_all_close(text: str, before: str) -> None:
    html = render_note(text, before)
    open_tags: list[str] = []
    for closing, tag in re.findall(r"<(/?)([a-z0-9]+)[^>]*>", html):
        assert tag in TAGS | {"ins"}
        if tag in {"br", "hr"}:
            continue
        if closing:
            assert open_tags.pop() == tag
        else:
            open_tags.append(tag)
    assert not open_tags


def test_words_already_said_are_not_tinted() -> None:
    assert "<ins>" not in render_note("Cost per unit is 1.72.", "Earlier: cost per unit is 1.72 indeed.")


def test_a_changed_number_is_tinted_alone() -> None:
    html = render_note(
        "The best price so far is 16.10 dollars for each unit.", "The best price so far is 17.20 dollars for each unit."
    )
    assert re.findall(r"<ins>(.*?)</ins>", html) == ["16.10"]


def test_markdown_stays_markdown_round_a_tint() -> None:
    assert render_note("**new words here**", "old") == "<p><strong><ins>new words here</ins></strong></p>\n"


def test_long_notes_take_linear_time() -> None:
    import time

    def seconds(words: int) -> float:
        text = " ".join(f"word{i % 977}" for i in range(words))
        started = time.perf_counter()
        mark_new(text, text[::-1])
        return time.perf_counter() - started

    seconds(1_000)
    assert seconds(80_000) < 40 * max(seconds(8_000), 0.002)


def test_an_excerpt_marks_what_was_found() -> None:
    assert highlight("Prices <drift> down", "DRIFT") == "Prices &lt;<mark>drift</mark>&gt; down"
