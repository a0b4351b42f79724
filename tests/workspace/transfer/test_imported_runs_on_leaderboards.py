"""Imported runs appear on leaderboards only if the filter includes them, in separate rows."""

import pytest

from analysis.base.benchmark_filters import TableFilter
from analysis.base.selectors import run_records
from analysis.base.table import BenchmarkColumn
from analysis.benchmark.runs import benchmark_runs
from runs.models import Agent
from tests.workspace.transfer.published_log import write_log

NAME = "claude-3-5-sonnet-20241022 (imported)"


@pytest.fixture
def imported(stored, tmp_path):
    write_log(tmp_path, "pricing", name="one")
    write_log(tmp_path, "efficiency_vs_equality", name="two")
    return stored().experiment


@pytest.mark.long
def test_leaderboards_show_imported_runs_on_request_or_for_their_experiment(imported, page):
    for place in ("/leaderboard/?", "/leaderboard/table.csv?", "/litmus/?generator=paper_text&"):
        assert NAME not in page.get(place).text, place
        assert NAME in page.get(f"{place}rows=own&rows=imported").text, place
    assert NAME in page.get(f"/litmus/?experiment={imported.pk}").text
    # They cost nothing and stand in no ledger.
    assert imported.cost_nano == 0
    assert "No model calls yet." in page.get("/ledger/").text
    assert "(imported)" not in page.get("/spend/").text


@pytest.mark.long
def test_an_own_agent_of_the_same_model_has_a_separate_row(imported, page, organization):
    own = Agent.objects.create(organization=organization, slug="own", name="Own", model="claude-3-5-sonnet-20241022")
    table_filter = TableFilter(rows=("own", "imported"))
    records = run_records(benchmark_runs(organization=organization, table_filter=table_filter))
    assert [(r.is_imported, r.agent_id == own.pk) for r in records] == [(True, False)]
    assert BenchmarkColumn(records[0].environment, records[0].difficulty) == BenchmarkColumn("pricing", "BASIC")
