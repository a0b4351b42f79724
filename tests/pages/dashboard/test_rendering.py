"""Texts of models become harmless HTML, and new words are tinted."""

import re
from functools import partial
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infrastructure.text.rendering import LONGEST_MARKDOWN, LONGEST_SHOWN, TAGS, highlight, mark_new, render_note
from tests.pages.dashboard.hostile_markdown import DANGEROUS, hostile_texts
from tests.yardstick import grows_linearly, within
from workspace.discussion.mentions import mark_mentions


def tags_of(html):
    return set(re.findall(r"</?([a-z0-9]+)", html))


def test_hostile_text_loads_and_executes_nothing():
    for text, before in product(DANGEROUS, (None, "", "other words")):
        html = render_note(text, before)
        assert tags_of(html) <= TAGS | {"ins"}, text
        assert not re.search(r"<[^>]*(href|src|on\w+|style)\s*=", html), text


@pytest.mark.long
@settings(max_examples=200)
@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_gives_only_allowed_tags_that_are_all_closed(text, before):
    html = render_note(text, before)
    open_tags = []
    for closing, tag in re.findall(r"<(/?)([a-z0-9]+)[^>]*>", html):
        assert tag in TAGS | {"ins"}
        if tag in {"br", "hr"}:
            continue
        if closing:
            assert open_tags.pop() == tag
        else:
            open_tags.append(tag)
    assert not open_tags


def test_only_new_words_are_tinted_and_of_changed_numbers_only_the_number():
    assert "<ins>" not in render_note("Cost per unit is 1.72.", "Earlier: cost per unit is 1.72 indeed.")
    price = "The best price so far is {} dollars for each unit."
    assert re.findall(r"<ins>(.*?)</ins>", render_note(price.format("16.10"), price.format("17.20"))) == ["16.10"]


@pytest.mark.parametrize(
    ("text", "before", "html"),
    [
        ("**new words here**", "old", "<p><strong><ins>new words here</ins></strong></p>\n"),
        ("1. new\n2. words", "old", "<ol>\n<li><ins>new</ins></li>\n<li><ins>words</ins></li>\n</ol>\n"),
        (
            "a<b & `x<y` [1](javascript:x) &lt;i&gt; ~5 or ~6", None,
            "<p>a&lt;b &amp; <code>x&lt;y</code> [1](javascript:x) &amp;lt;i&amp;gt; ~5 or ~6</p>\n",
        ),
        (
            "Price: 3\nCost: 2\n---\n\n---\n~~no~~", None,
            "<p>Price: 3<br>\nCost: 2<br>\n---</p>\n<hr>\n<p><del>no</del></p>\n",
        ),
    ],
    ids=["Markdown stays Markdown round a tint", "new items stay a list", "no HTML, links, entities", "lines stay lines"],
)  # fmt: skip
def test_markdown_becomes_plain_html(text, before, html):
    assert render_note(text, before) == html


def test_an_oversized_text_is_plain_or_truncated_with_a_remark():
    long = render_note("**a** " * (LONGEST_MARKDOWN // 4), "before")
    assert "**a** **a**" in long and "Shown as plain text: it is longer than 32,000 characters.</p>" in long
    cut = render_note("a" * (LONGEST_SHOWN + 1))
    assert "These are the first 262,144 of its 262,145 characters." in cut and len(cut) < LONGEST_SHOWN + 300


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("|" + "a|" * 60 + "\n|" + "-|" * 60 + "\n" + "|x\n" * 100, "its tables have too many cells."),
        (">" * 21 + " a", "its lists, quotes or emphasis are nested too deeply."),
    ],
)
def test_large_tables_and_deep_nesting_become_tinted_plain_text(text, reason):
    html = render_note(text, "old")
    assert f"Shown as plain text: {reason}</p>" in html and "<ins>" in html
    assert not tags_of(html) - {"p", "ins"}


@pytest.mark.long
@pytest.mark.parametrize("before", [False, True], ids=["alone", "compared"])
@pytest.mark.parametrize("length", [LONGEST_MARKDOWN, LONGEST_SHOWN])
def test_no_text_renders_slowly_or_to_much_larger_html(length, before):
    """The limits are several times what is usual; what grows faster than the text is far beyond."""
    render = render_note.__wrapped__
    for name, text in hostile_texts(length).items():
        html = within(6_000_000, partial(render, text, text[::-1] if before else None))
        assert len(html) < 8 * len(text) + 300, name


def test_a_mention_before_thousands_of_full_stops_renders_quickly():
    def mark(length):
        html = "".join(f"{start}{'.' * (length // 3)}" for start in ("@vera", " @", " @x"))
        assert mark_mentions(html, ["vera"]).names == ("vera",)

    assert grows_linearly(mark, 90_000)


@pytest.mark.long
def test_long_notes_render_in_linear_time():
    def mark(words):
        text = " ".join(f"word{i % 977}" for i in range(words))
        mark_new(text, text[::-1])

    assert grows_linearly(mark, 80_000)


def test_an_excerpt_marks_the_matches():
    assert highlight("Prices <drift> down", "DRIFT") == "Prices &lt;<mark>drift</mark>&gt; down"
