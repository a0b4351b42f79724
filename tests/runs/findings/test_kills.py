"""SIGKILL between the end of a run and its findings: the next worker computes them."""

import pytest

from tests.faults.site import END_AND_DIE, Site

pytestmark = pytest.mark.long

CLAIM_AND_DIE = """
import os, signal
from runs.findings.services import claims
assert claims.claim_next() is not None
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_findings_survive_a_kill_after_the_run_and_during_the_computation(tmp_path):
    with Site(tmp_path / "site") as site:
        site.launch("--periods", "3", "--agent", "optimum", "--seeds", "0")
        assert site.run("shell", "-c", END_AND_DIE, check=False).returncode == -9
        assert site.run("shell", "-c", CLAIM_AND_DIE, check=False).returncode == -9
        assert site.rows("SELECT rules_version FROM findings_runfindings") == [(0,)]
        # The claim of the killed worker expires.
        site.rows("UPDATE findings_runfindings SET claimed_until = '2020-01-01 00:00:00'")
        site.start_worker()
        site.wait_until(lambda: site.rows("SELECT rules_version FROM findings_runfindings WHERE computed_at > '2020'"))
        assert site.rows("SELECT error FROM findings_runfindings") == [("",)]
