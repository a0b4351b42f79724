"""Truncated logs: complete rows are kept, and the preview states where the log ends."""

import csv
import io

import pytest

from tests.workspace.transfer.published_log import write_log, write_patience


@pytest.fixture
def cut(previewed):
    """The preview of the only log with this content of a table."""

    def look(path, content):
        path.write_bytes(content)
        (row,) = previewed()
        return row

    return look


def row_ends(content):
    """Where each row of a table ends, in bytes, the heading first."""
    reader, lines = csv.reader(io.StringIO(content.decode(), newline="")), content.split(b"\n")
    return [sum(len(line) + 1 for line in lines[: reader.line_num]) for _ in reader]


@pytest.mark.long
@pytest.mark.parametrize("environment", ["procurement", "scheduling", "collusiveness_vs_competitiveness"])
def test_a_log_cut_in_its_last_rows_keeps_the_earlier_periods(environment, cut, tmp_path):
    path = write_log(tmp_path, environment, wire="openai") / "logs.csv"
    content = path.read_bytes()
    ends = row_ends(content)
    two_periods = 2 * (len(ends) - 1) // 3
    # A step of 31 bytes meets the middle of cells, quotes, numbers and characters of two bytes.
    for size in [*range(ends[two_periods] + 1, ends[-1] - 1, 31), ends[-1] - 3]:
        row = cut(path, content[:size])
        assert (row.problem, row.periods, row.is_whole, row.differences) == ("", 2, False, []), size
        is_between_rows = any(size + missing in ends for missing in (0, 1, 2))
        assert is_between_rows or row.facts["Cut off"].endswith("of logs.csv; the rows before it are kept"), size


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("kept_rows", "rest", "periods", "is_cut"),
    [
        (-2, b"", 2, False),  # between rows: there is no row to name
        (-3, '2,v1,"é'.encode()[:-1], 2, True),  # in a character of several bytes
        (-1, None, 3, False),  # a whole log without its last line end
    ],
)
def test_a_log_cut_at_a_special_position_keeps_complete_rows(kept_rows, rest, periods, is_cut, cut, tmp_path):
    path = write_log(tmp_path, "procurement") / "logs.csv"
    content = path.read_bytes()
    kept = content.rstrip(b"\r\n") if rest is None else content[: row_ends(content)[kept_rows]] + rest
    row = cut(path, kept)
    assert (row.problem, row.periods, row.is_whole) == ("", periods, periods == 3)
    assert ("Cut off" in row.facts) == is_cut


def test_truncated_patience_answers_omit_their_last_amount(cut, tmp_path):
    path = next(write_patience(tmp_path).glob("*_logs.csv"))
    content = path.read_bytes()
    row = cut(path, content[:-40])
    assert (row.problem, row.periods, row.planned) == ("", 49, 50)


def test_parameters_and_tables_broken_in_the_middle_are_refused(cut, tmp_path):
    folder = write_log(tmp_path, "procurement", name="run")
    path, parameters = folder / "logs.csv", folder / "global_params.csv"
    content, told = path.read_bytes(), parameters.read_bytes()
    ends = row_ends(content)
    short = content[: ends[1]] + b"0,v1\n" + content[ends[1] :]
    assert "there are 2 cells under 17 headings" in cut(path, short).problem
    path.write_bytes(content)
    assert "the table is broken" in cut(parameters, told[: told.rindex(b'"')]).problem


@pytest.mark.long
def test_the_preview_and_the_stored_run_state_where_the_log_was_cut(sent, page, worked, tmp_path):
    path = write_log(tmp_path, "procurement") / "logs.csv"
    path.write_bytes(path.read_bytes()[:-30])
    upload = sent()
    worked()
    text = page.get(f"/experiments/import/{upload.pk}/").text
    assert "Cut off: in the row that begins in line" in text and "It breaks off, so it gets no score." in text
    page.post(f"/experiments/import/{upload.pk}/store/")
    worked()
    upload.refresh_from_db()
    run = upload.experiment.runs.get()
    assert (run.state, run.periods_played, run.score) == ("cancelled", 2, None)
    assert run.reason == "The log ends after 2 of 3 periods; it can be looked at but has no score."
    assert "<dt>Cut off</dt>" in page.get(f"/runs/{run.pk}/").text
