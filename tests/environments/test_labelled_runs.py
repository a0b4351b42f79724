"""The precision and recall that docs/findings.md states are those of the labelled runs."""

from collections import Counter

import pytest

from benchmarks.behaviours import JUDGED, ROWS, played_run
from benchmarks.findings import HIT, counts_of, outcomes, table
from environments.findings import Finding
from environments.registry import ENVIRONMENTS, RULES_BY_KEY
from tests.data_folders import ROOT

GUIDE = (ROOT / "docs/findings.md").read_text(encoding="utf-8")


def test_a_sample_of_the_labelled_runs_gets_its_documented_verdicts():
    counts = Counter(outcome for (_, _, outcome), number in counts_of(ROWS[::9]).items() for _ in range(number))
    hit, missed, wrong = (counts[outcome] for outcome in (HIT, "missed", "wrong"))
    assert hit >= 10 and hit / (hit + missed) >= 0.84 and hit / (hit + wrong) >= 0.9, counts


@pytest.mark.long
def test_the_guide_states_the_precision_and_recall_of_the_rules():
    assert "\n".join(table(counts_of(ROWS))) in GUIDE


def test_both_halves_cover_the_same_behaviours_and_share_no_run():
    halves = {half: [row for row in ROWS if row["half"] == half] for half in ("development", "held_out")}
    kinds = {half: sorted((row["environment"], row["behaviour"]) for row in rows) for half, rows in halves.items()}
    assert kinds["development"] == kinds["held_out"]
    assert {row["environment"] for row in ROWS} == set(ENVIRONMENTS)
    scripts = [str({key: value for key, value in row.items() if key not in ("name", "half")}) for row in ROWS]
    assert len(set(scripts)) == len(ROWS) and f"{len(ROWS)} runs" in GUIDE
    assert f"{len({row['behaviour'] for row in ROWS})} kinds of behaviour" in GUIDE
    assert (
        {rule for row in ROWS for rule in (*row["labels"], *row.get("undecided", ()))}
        <= set(JUDGED)
        <= set(RULES_BY_KEY)
    )


def test_a_labelled_run_is_reproducible():
    row = next(row for row in ROWS if "notes" in row)
    assert (played_run(row).outcomes, played_run(row).notes) == (played_run(row).outcomes, played_run(row).notes)


def test_a_finding_far_from_its_label_is_wrong_and_the_label_is_missed():
    row = {"labels": {"heavy_loss": [[20, 50], 1], "contradictory": [[], 0]}, "undecided": ["spread_changed"]}
    near = [
        Finding("", 51, rule="heavy_loss"),
        Finding("", 7, rule="contradictory"),
        Finding("", 3, rule="spread_changed"),
    ]
    assert sorted(outcomes(row, near)) == [("contradictory", HIT), ("heavy_loss", HIT)]
    far = [Finding("", 30, rule="heavy_loss"), Finding("", 3, rule="early_change")]
    assert sorted(outcomes(row, far)) == [
        ("contradictory", "missed"),
        ("early_change", "wrong"),
        ("heavy_loss", "missed"),
        ("heavy_loss", "wrong"),
    ]
