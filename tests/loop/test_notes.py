"""Notes: what an agent writes to itself, and reading them again by period."""

import pytest

from agents.notes import MAX_CHARACTERS, Notes
from environments.base import ToolError


def test_notes_of_a_period_are_appended_and_read_together():
    notes = Notes()
    assert notes.write(2, {"notes": "first"}) == "Successfully wrote notes."
    notes.write(2, {"notes": "second"})
    assert notes.read(2, {"attempt_number": 2}, "attempt_number") == ["first", "second"]


def test_a_period_without_notes_reads_as_empty():
    assert Notes().read(3, {"attempt_number": 1}, "attempt_number") == []


def test_notes_survive_a_round_trip_through_rows():
    assert Notes.of([(0, "a"), (2, "b"), (2, "c")]).by_period == {0: ["a"], 2: ["b", "c"]}


@pytest.mark.parametrize("wanted", [2, 2.0, "2", " 2 "])
def test_an_index_may_be_a_whole_number_of_any_type(wanted):
    assert Notes.of([(2, "here")]).read(2, {"attempt_number": wanted}, "attempt_number") == ["here"]


@pytest.mark.parametrize("wanted", [3, -1, 100, 10**30, "7", "-1"])
def test_an_unknown_index_is_an_error_that_lists_the_existing_indices(wanted):
    with pytest.raises(ToolError, match="you can read those of 0 to 2"):
        Notes().read(2, {"attempt_number": wanted}, "attempt_number")


@pytest.mark.parametrize(
    "wanted", [None, True, "", "two", "²", "٢x", "9" * 30, "--1", "+", 1.5, float("nan"), float("inf"), [2], {}]
)
def test_an_index_that_is_not_a_whole_number_is_an_error_with_its_argument(wanted):
    with pytest.raises(ToolError, match="attempt_number"):
        Notes().read(2, {"attempt_number": wanted}, "attempt_number")
    with pytest.raises(ToolError, match="period_number"):
        Notes().read(2, {}, "period_number")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(wrong, "a string") for wrong in ({}, {"notes": None}, {"notes": ["a"]}, {"text": "a"})]
    + [({"notes": "x" * (MAX_CHARACTERS + 1)}, "too long")],
)
def test_notes_that_are_not_text_or_are_too_long_are_refused(arguments, says):
    notes = Notes()
    with pytest.raises(ToolError, match=says):
        notes.write(0, arguments)
    assert notes.by_period == {}
