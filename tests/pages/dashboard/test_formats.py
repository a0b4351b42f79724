"""Durations and ranges as pages, commands and figures print them."""

import pytest

from infrastructure.text.formats import dollars, duration, reach, span
from infrastructure.text.periods import period_of


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, "–"),
        (0.01, "< 0.1 s"),
        (5.0, "5.0 s"),
        (5, "5 s"),
        (59.7, "1 min"),
        (180, "3 min"),
        (185, "3 min 5 s"),
        (3600, "1 h"),
        (3659, "1 h"),
        (7260, "2 h 1 min"),
        (86_400, "1 d"),
        (90_000, "1 d 1 h"),
    ],
)
def test_a_duration_omits_empty_units(seconds, words):
    assert duration(seconds) == words


def test_a_range_with_equal_ends_is_printed_as_a_single_value():
    assert span([0.101, 0.1, 0.102], dollars) == "$0.10" and span([3, 1, 2], dollars) == "$1.00 to $3.00"
    assert reach("12 GB", "12 GB") == "" and reach("11 GB", "12 GB") == "11 GB to 12 GB"


def test_every_page_names_a_period_with_the_numbers_of_all_periods(page, played):
    runs = list(played("random", "optimum").runs.order_by("id"))
    for address in (
        f"/runs/{runs[0].pk}/periods/3/",
        f"/compare/runs/?run={runs[0].pk}&run={runs[1].pk}&period=3",
    ):
        assert "Period 3 of 0–3" in page.get(address).text, address
    assert period_of(0, 100) == "Period 0 of 0–99" and period_of(0, 1) == "Period 0 of 0–0"
