"""Requests that make the site compute: the cost of a preview, and the limit per person."""

import subprocess
import sys
from itertools import count

import pytest
from django.test import Client

from analysis.comparing import comparison
from environments.pricing.economics import Demand
from infrastructure.limits import COMPUTING_SECONDS
from runs.episodes.models import Seat
from tests.api.conftest import program  # noqa: F401
from tests.data_folders import ROOT
from tests.runs.episodes.conftest import RestSeat, opened, opener  # noqa: F401

EXTREME = {"environment": "pricing", "difficulty": "CUSTOM", "set_products": 50, "set_nests": 8}


@pytest.fixture
def slow(monkeypatch):
    """Every request takes a little more than half of what one person may take."""
    clock = count(step=COMPUTING_SECONDS * 0.51)
    monkeypatch.setattr("time.thread_time", lambda: next(clock))


@pytest.mark.parametrize("place", ["", "figure.json", "instance.json"])
def test_a_preview_of_the_largest_market_evaluates_demand_rarely(page, monkeypatch, place):
    evaluated, quantities = [], Demand.quantities

    def counted(demand, prices, alphas):
        evaluated.append(prices)
        return quantities(demand, prices, alphas)

    monkeypatch.setattr(Demand, "quantities", counted)
    assert page.get(f"/instances/preview/{place}", EXTREME).status_code == 200
    assert len(evaluated) <= 4


def test_a_comparison_of_many_agents_reads_only_runs_of_compared_agents(page, played, monkeypatch):
    """Only the first agents are compared; each environment is matched once, whatever the number of pairs."""
    slugs = ["random", "optimum", "pricing-local-search", "pricing-drift-tracker", "pricing-constant"]
    played(*slugs, periods=3)
    matched, read = [], comparison.finished_by_agent

    def counted(records, *others):
        matched.append({record.agent_slug for record in records})
        return read(records, *others)

    monkeypatch.setattr(comparison, "finished_by_agent", counted)
    assert (
        page.get("/compare/figure.json", {"agents": slugs, "environments": "pricing", "periods": 3}).status_code == 200
    )
    assert matched == [set(slugs[: comparison.MOST_AGENTS])]


@pytest.mark.usefixtures("noon", "slow")
def test_heavy_computing_delays_only_the_person_who_causes_it(page, join, owning_token, organization):
    assert [page.get("/instances/preview/").status_code for _ in range(2)] == [200, 200]
    refused = page.get("/instances/preview/figure.json")
    assert refused.status_code == 429 and refused["Retry-After"] == "45"
    answer = owning_token.get("/me")
    assert answer.status_code == 429 and answer["Retry-After"] == "45"
    assert f"{COMPUTING_SECONDS} seconds" in answer.json()["error"]["message"]
    other = Client()
    other.force_login(join("bob", "viewer").user)
    assert other.get("/instances/preview/").status_code == 200


@pytest.fixture
def owning_token(program):  # noqa: F811
    return program()


@pytest.mark.usefixtures("noon")
def test_heavy_computing_of_a_seat_does_not_delay_its_opener(opened, opener, request):  # noqa: F811
    seat = RestSeat(opened()["token"])
    request.getfixturevalue("slow")
    assert [seat.begin(0).status_code for _ in range(3)] == [200, 200, 429]
    mcp = Client().post("/mcp", {}, "application/json", headers={"Authorization": f"Bearer {seat.program.token}"})
    assert mcp.status_code == 429 and "error" in mcp.json()
    assert opener.get("/episodes").status_code == 200
    assert Seat.objects.get().calls == 0


@pytest.mark.long
def test_requests_never_wait_for_imports_of_statistics_libraries():
    """What pages compute imports nothing large once the web process has started."""
    script = """
import sys, threading
import econevals_site.asgi
[thread.join() for thread in threading.enumerate() if thread.name == "libraries"]
before = set(sys.modules)
from datetime import date
import numpy as np
from stats.lines.fits import fit
from stats.pairwise import signed_ranks, welch_tests
from stats.paired import detectable, wilcoxon_p
from stats.lines.regression import ModelScores, trend
signed_ranks([[1, 2, 3, 4, 5, 7, 9]]), welch_tests([([1, 2, 3, 5], [2, 3, 4, 7])], "runs")
fit([1, 2, 3], [1, 3, 2]), detectable([1, 2, 4]), wilcoxon_p([1, 2, 3, 4, 5, 7])
trend([ModelScores(str(n), date(2020 + n, 1, 1), np.array([n, 2.0 * n]), str(n)) for n in range(1, 9)])
print([name for name in set(sys.modules) - before if name.split(".")[0] in ("scipy", "statsmodels", "pandas")])
"""
    ran = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
