"""The paper's own results, as printed."""

import pytest

from analysis.base.table import Kind
from analysis.benchmark.published import benchmark_scores, source
from analysis.benchmark.table import BenchmarkColumn, benchmark_table

PRINTED = [
    ("Gemini 1.5 Pro", "procurement", "BASIC", 62.3, 1),
    ("Claude 3.5 Sonnet", "scheduling", "BASIC", 100.0, 12),
    ("GPT-4o", "scheduling", "MEDIUM", -4.5, 0),
    ("GPT-5", "pricing", "HARD", 58.9, None),
    ("Gemini 3 Pro Preview", "procurement", "HARD", 99.6, 8),
]


@pytest.mark.parametrize(("llm", "environment", "difficulty", "score", "solved"), PRINTED)
def test_a_cell_is_as_in_table_4(llm, environment, difficulty, score, solved):
    (cell,) = [
        s.summary for s in benchmark_scores() if (s.llm, s.environment, s.difficulty) == (llm, environment, difficulty)
    ]
    assert round(cell.mean * 100, 1) == score
    assert cell.solved == solved
    assert (cell.n, cell.of, cell.standard_error) == (12, 12, None)


def test_there_are_eight_llms_in_nine_cells_and_a_source():
    assert len(benchmark_scores()) == 8 * 9
    assert "2026" in source()


def test_published_scores_stay_apart_from_own_ones_of_the_same_name(record):
    table = benchmark_table(
        [record(0.1, agent_name="GPT-5")], benchmark_scores(), [BenchmarkColumn("pricing", "BASIC")]
    )
    rows = {row.kind: row.cells[0].mean for row in table.rows if row.name == "GPT-5"}
    assert rows == {Kind.OWN: 0.1, Kind.PUBLISHED: 0.886}
