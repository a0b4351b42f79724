"""Files that people open in a spreadsheet or paste into a paper."""

import csv
import io

from analysis.benchmark.exports import runs_csv, table_csv, table_latex
from analysis.benchmark.published import benchmark_scores
from analysis.benchmark.table import BenchmarkColumn, benchmark_table
from infrastructure.text.csv_cells import csv_cell

COLUMNS = [BenchmarkColumn("scheduling", "BASIC"), BenchmarkColumn("pricing", "BASIC")]


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_text_that_a_spreadsheet_would_run_is_made_harmless():
    assert [csv_cell(text) for text in ("=1+1", "+1", "-1", "@x", "\tx", "\rx")] == [
        "'=1+1", "'+1", "'-1", "'@x", "'\tx", "'\rx",
    ]  # fmt: skip


def test_negative_numbers_stay_numbers(record):
    assert csv_cell(-0.045) == -0.045
    (line,) = rows(runs_csv([record(-0.25, agent_name="=HYPERLINK(1)")]))
    assert (line["score"], line["agent"]) == ("-0.25", "'=HYPERLINK(1)")


def test_the_table_as_csv_has_a_line_a_cell_with_unrounded_scores(record):
    table = benchmark_table([record(1 / 3, seed=0), record(2 / 3, seed=1)], [], COLUMNS)
    (line,) = rows(table_csv(table))
    assert float(line["mean_score"]) == 0.5
    assert (line["agent"], line["row"], line["instances_scored"]) == ("House", "own", "2")


def test_the_table_as_latex_groups_columns_and_marks_published_rows(record):
    table = benchmark_table(
        [record(0.5, agent_name="a_b & c"), record(0.7, seed=1, agent_name="a_b & c")], benchmark_scores(), COLUMNS
    )
    text = table_latex(table)
    assert r"\multicolumn{1}{c}{Scheduling}" in text
    assert r"GPT-5 (published) & $100.0$ {\scriptsize 12/12} & $88.6$ \\" in text
    assert r"a\_b \& c & -- & $60.0$ {\scriptsize $\pm$ 10.0} \\" in text
