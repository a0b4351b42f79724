"""Imported runs stand on leaderboards only where the filter asks for them, as rows of their own."""

from __future__ import annotations

import pytest

from tests.transfer.published_log import write_log


@pytest.fixture
def imported(stored, tmp_path):
    write_log(tmp_path, "pricing", name="one")
    write_log(tmp_path, "efficiency_vs_equality", name="two")
    return stored().experiment


def test_the_leaderboard_leaves_them_out_unless_asked(imported, page):
    name = "claude-3-5-sonnet-20241022 (imported)"
    assert name not in page.get("/leaderboard/").content.decode()
    shown = page.get("/leaderboard/?rows=own&rows=imported").content.decode()
    assert name in shown
    assert name not in page.get("/leaderboard/table.csv").content.decode()


def test_the_litmus_page_leaves_them_out_unless_asked_or_about_their_experiment(imported, page):
    name = "claude-3-5-sonnet-20241022 (imported)"
    query = "generator=paper_text"
    assert name not in page.get(f"/litmus/?{query}").content.decode()
    assert name in page.get(f"/litmus/?{query}&rows=imported").content.decode()
    assert name in page.get(f"/litmus/?experiment={imported.pk}").content.decode()


def test_an_own_agent_of_the_same_model_keeps_its_own_row(imported, page, organization):
    from analysis.base.selectors import run_records
    from analysis.benchmark.filters import TableFilter
    from analysis.benchmark.table import BenchmarkColumn
    from analysis.boards import benchmark_runs
    from runs.models import Agent

    own = Agent.objects.create(organization=organization, slug="own", name="Own", model="claude-3-5-sonnet-20241022")
    table_filter = TableFilter(rows=("own", "imported"))
    records = run_records(benchmark_runs(organization=organization, table_filter=table_filter))
    assert [(r.is_imported, r.agent_id == own.pk) for r in records] == [(True, False)]
    assert BenchmarkColumn(records[0].environment, records[0].difficulty) == BenchmarkColumn("pricing", "BASIC")


def test_they_cost_nothing_and_stand_in_no_ledger(imported, page):
    assert imported.cost_nano == 0
    text = page.get("/ledger/").content.decode()
    assert "No model calls yet." in text
    assert "(imported)" not in page.get("/spend/").content.decode()
