"""Measures a full patience test, as large as in the papers, against a local endpoint with a fixed latency.

    python -m benchmarks patience [--latency 0.05]

`launch --wait` plays the main run, the competency run and 36 names in a child process with default concurrency.
"""

import json
import re
import subprocess
import sys
import tempfile
from typing import Any

from benchmarks.harness import ROOT, site_variables, spending
from tests.stub_provider import StubAnswer, StubProvider

RATE = 0.05
YEARS = {"one month": 1 / 12, "six months": 0.5, "one year": 1.0, "five years": 5.0}


def consistent(latency: float) -> Any:
    """Return a model that discounts money by five percent a year, whatever else the prompt says."""

    def answer(wire: str, body: dict[str, Any], headers: Any) -> StubAnswer:
        prompt = str(body["messages"])
        match = re.search(rf"\$([\d.]+) ({'|'.join(YEARS)})", prompt)
        assert match, prompt
        later = float(match[1]) >= 100 * 2.718281828 ** (RATE * YEARS[match[2]])
        letter = "A" if later == ("A: receiving $100 right now" not in prompt) else "B"
        return StubAnswer(text=f"<reasoning>{'x' * 400}</reasoning><answer>{letter}</answer>", delay=latency)

    return answer


def main(*, latency: float = 0.05) -> None:
    with StubProvider(consistent(latency)) as stub, tempfile.TemporaryDirectory(prefix="econevals-patience.") as folder:
        command = [
            sys.executable, "manage.py", "launch", "--environment", "patience_vs_impatience", "--seeds", "0",
            "--difficulty", "STANDARD", "--variant", "main", "interest_rate", "user_name", "--wait", "--json",
            "--agent", f"openai-compatible:consistent@{stub.base_url('openai')}",
        ]  # fmt: skip
        with spending() as spent:
            done = subprocess.run(command, cwd=ROOT, env=site_variables(folder), stdout=subprocess.PIPE, check=True)
        rate = f"{stub.count:,} queries at {latency * 1000:.0f} ms in {spent.seconds:.0f} s"
        print(f"{rate}, {stub.count / spent.seconds:.0f} a second")
        for run in json.loads(done.stdout)["runs"]:
            print(f"{run['variant']}: {run['state']}, {run['periods']} periods, score {run['score']}")
