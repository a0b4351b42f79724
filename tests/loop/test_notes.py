"""Notes: what an agent writes to itself, and reading them again by period."""

from __future__ import annotations

from typing import Any

import pytest

from agents.notes import MAX_CHARACTERS, Notes
from environments.base import ToolError


def test_notes_of_one_period_are_appended_and_read_together() -> None:
    notes = Notes()
    assert notes.write(2, {"notes": "first"}) == "Successfully wrote notes."
    notes.write(2, {"notes": "second"})
    assert notes.read(2, {"attempt_number": 2}, "attempt_number") == "first\nsecond"


def test_a_period_without_notes_says_so() -> None:
    assert Notes().read(3, {"attempt_number": 1}, "attempt_number") == "No notes were written."


def test_notes_are_the_same_after_being_stored_as_rows() -> None:
    assert Notes.of([(0, "a"), (2, "b"), (2, "c")]).by_period == {0: ["a"], 2: ["b", "c"]}


@pytest.mark.parametrize("wanted", [2, 2.0, "2", " 2 "])
def test_an_index_may_come_as_a_whole_number_of_any_kind(wanted: object) -> None:
    assert Notes.of([(2, "here")]).read(2, {"attempt_number": wanted}, "attempt_number") == "here"


@pytest.mark.parametrize("wanted", [3, -1, 100, 10**30, "7", "-1"])
def test_an_index_that_does_not_exist_is_an_error_that_says_which_exist(wanted: object) -> None:
    with pytest.raises(ToolError, match="you can read those of 0 to 2"):
        Notes().read(2, {"attempt_number": wanted}, "attempt_number")


@pytest.mark.parametrize(
    "wanted", [None, True, "", "two", "²", "٢x", "9" * 30, "--1", "+", 1.5, float("nan"), float("inf"), [2], {}]
)
def test_an_index_that_is_no_whole_number_is_an_error_that_names_the_argument(wanted: object) -> None:
    with pytest.raises(ToolError, match="attempt_number"):
        Notes().read(2, {"attempt_number": wanted}, "attempt_number")


def test_a_missing_index_is_an_error() -> None:
    with pytest.raises(ToolError, match="period_number"):
        Notes().read(2, {}, "period_number")


@pytest.mark.parametrize("arguments", [{}, {"notes": None}, {"notes": 3}, {"notes": ["a"]}, {"text": "a"}])
def test_notes_that_are_no_text_are_refused(arguments: dict[str, Any]) -> None:
    notes = Notes()
    with pytest.raises(ToolError, match="must be a string"):
        notes.write(0, arguments)
    assert notes.by_period == {}


def test_notes_beyond_all_reason_are_refused() -> None:
    with pytest.raises(ToolError, match="too long"):
        Notes().write(0, {"notes": "x" * (MAX_CHARACTERS + 1)})
