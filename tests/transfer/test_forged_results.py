"""What a log claims counts for nothing: it is compared with what its actions come to here."""

from __future__ import annotations

import pytest

from tests.transfer.published_log import write_log, write_patience
from tests.transfer.test_hostile_tables import edit


def test_a_forged_score_is_ignored_and_the_difference_is_shown(page, stored, tmp_path):
    folder = write_log(tmp_path, "pricing", name="run")

    def change(rows):
        for row in rows:
            if row["prices"]:
                row["total profits"] = "100"

    edit(folder / "logs.csv", change)
    run = stored().experiment.runs.select_related("source").get()
    assert run.score < 0.9 and run.source.recorded_score > 2
    assert run.source.differences[0].startswith(
        "Total profit: the log differs in 100 of 100 periods, first in period 0: 100"
    )
    text = page.get(f"/runs/{run.pk}/").content.decode()
    assert "differ from those computed here" in text and "the log differs in 100 of 100 periods" in text


def test_forged_blocking_pairs_are_counted_anew(stored, tmp_path):
    folder = write_log(tmp_path, "scheduling", name="run")

    def change(rows):
        rows[-1]["blocking_pairs"], rows[-1]["blocking_pair"] = "[]", ""

    edit(folder / "logs.csv", change)
    run = stored().experiment.runs.select_related("source").get()
    assert run.source.recorded_score == pytest.approx(1.0) and run.score < 1
    assert not run.solved


def test_a_count_of_answers_that_the_answers_do_not_bear_out(stored, tmp_path):
    write_patience(tmp_path, claim=1)
    run = stored().experiment.runs.select_related("source").get()
    assert run.source.differences[0].startswith("Preferred $100: the log differs in 50 of 50 periods")


def test_rows_about_organizations_or_states_change_nothing(stored, tmp_path, organization):
    """Columns nobody asked for are read by nobody."""
    folder = write_log(tmp_path, "scheduling", name="run")
    for table in ("logs.csv", "global_params.csv"):
        path = folder / table
        lines = path.read_text().splitlines()
        extra = ["organization_id,score,state,imported", *["999,1,finished,False"] * (len(lines) - 1)]
        if table == "global_params.csv":
            path.write_text("\n".join(f"{line},{more}" for line, more in zip(lines, extra, strict=True)))
    run = stored().experiment.runs.get()
    assert (run.organization_id, run.imported) == (organization.pk, True) and run.score != 1
