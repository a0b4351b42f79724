"""A full patience test at the papers' size against a local endpoint of set latency.

    python benchmarks/patience.py [--latency 0.05]

Main run, competency run and 36 names, played by `launch --wait` in a process of its own with default concurrency.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.stub_provider import StubAnswer, StubProvider  # noqa: E402

RATE = 0.05
YEARS = {"one month": 1 / 12, "six months": 0.5, "one year": 1.0, "five years": 5.0}


def consistent(latency: float) -> Any:
    """Chooses as if money were worth five percent a year, whatever else the prompt says."""

    def answer(wire: str, body: dict[str, Any], headers: Any) -> StubAnswer:
        prompt = str(body["messages"])
        match = re.search(r"\$([\d.]+) (one month|six months|one year|five years)", prompt)
        assert match, prompt
        later = float(match[1]) >= 100 * 2.718281828 ** (RATE * YEARS[match[2]])
        later_is_a = "A: receiving $100 right now" not in prompt
        letter = "A" if later == later_is_a else "B"
        return StubAnswer(text=f"<reasoning>{'x' * 400}</reasoning><answer>{letter}</answer>", delay=latency)

    return answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.05)
    latency = parser.parse_args().latency
    with StubProvider(consistent(latency)) as stub, tempfile.TemporaryDirectory(prefix="econevals-patience.") as folder:
        arguments = ["--environment", "patience_vs_impatience", "--difficulty", "STANDARD", "--seeds", "0"]
        arguments += ["--variant", "main", "interest_rate", "user_name"]
        arguments += ["--agent", f"openai-compatible:consistent@{stub.base_url('openai')}", "--wait", "--json"]
        started = time.monotonic()
        variables = os.environ | {"ECONEVALS_DATA_DIR": folder}
        command = [sys.executable, "manage.py", "launch", *arguments]
        done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=True)
        seconds = time.monotonic() - started
        print(
            f"{stub.count:,} queries at {latency * 1000:.0f} ms in {seconds:.0f} s, {stub.count / seconds:.0f} a second"
        )
        for run in json.loads(done.stdout)["runs"]:
            print(f"{run['variant']}: {run['state']}, {run['periods']} periods, score {run['score']}")


if __name__ == "__main__":
    main()
