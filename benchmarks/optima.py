"""Proves the optima of the paper's 36 procurement instances, and writes them to the file that the environment reads.

    python -m benchmarks optima

Takes about a minute of processor time.
"""

import json

from benchmarks.harness import ROOT
from environments.procurement.optimum import solve
from environments.registry import generate


def main() -> None:
    optima = {}
    for difficulty in ("BASIC", "MEDIUM", "HARD"):
        for seed in range(12):
            instance = generate("procurement", difficulty, seed, with_reference=False)
            optimum = solve(instance, limit=3_600)
            assert optimum.proven
            optima[instance.content_hash] = optimum.as_json()
            print(f"{difficulty} {seed}: {optimum.workers:.4f} workers, {optimum.seconds:.1f} s", flush=True)
    (ROOT / "environments/procurement/optima.json").write_text(json.dumps(optima, indent=1) + "\n")
