"""Claims of a log have no effect: they are compared with the results computed here."""

import pytest

from tests.workspace.transfer.published_log import edit, write_log, write_patience


@pytest.mark.long
def test_a_forged_score_is_ignored_and_the_difference_reported(page, imported, tmp_path):
    folder = write_log(tmp_path, "pricing", name="run")
    edit(folder / "logs.csv", lambda rows: [row | {"total profits": row["prices"] and "100"} for row in rows])
    run = imported()
    assert run.score < 0.9 and run.source.recorded_score > 2
    told = "Total profit: the log differs in 100 of 100 periods, first in period 0: 100"
    assert run.source.differences[0].startswith(told)
    text = page.get(f"/runs/{run.pk}/").text
    assert "differ from those computed here" in text and "the log differs in 100 of 100 periods" in text


def test_forged_blocking_pairs_are_recomputed(imported, tmp_path):
    folder = write_log(tmp_path, "scheduling", name="run")
    edit(folder / "logs.csv", lambda rows: rows[-1].update(blocking_pairs="[]", blocking_pair=""))
    run = imported()
    assert run.source.recorded_score == pytest.approx(1.0) and run.score < 1
    assert not run.solved


def test_a_forged_count_of_answers_is_reported(imported, tmp_path):
    write_patience(tmp_path, claim=1)
    run = imported()
    assert run.source.differences[0].startswith("Preferred $100: the log differs in 50 of 50 periods")


def test_columns_about_organizations_or_states_are_ignored(imported, tmp_path, organization):
    """Unknown columns are not read."""
    folder = write_log(tmp_path, "scheduling", name="run")
    more = {"organization_id": "999", "score": "1", "state": "finished", "imported": "False"}
    for table in ("logs.csv", "global_params.csv"):
        edit(folder / table, lambda rows: [row | more for row in rows])
    run = imported()
    assert (run.organization_id, run.imported) == (organization.pk, True) and run.score != 1
