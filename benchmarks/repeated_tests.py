"""bin/test again and again.

    python -m benchmarks.repeated_tests --times 20 --busy 2

Prints a line for each run and stops at the first failure, whose output it shows. `--busy` adds processes that only compute,
as on a machine that others use too.
"""

import argparse
import multiprocessing
import re
import subprocess
import sys
import time

from tests.data_folders import ROOT

SPENT = re.compile(r"(\d+) processor seconds, (\d+) at usual speed")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--busy", type=int, default=0)
    options = parser.parse_args()
    for _ in range(options.busy):
        multiprocessing.Process(target=compute, daemon=True).start()
    for number in range(1, options.times + 1):
        began = time.monotonic()
        run = subprocess.run(["bin/test"], cwd=ROOT, capture_output=True, text=True)
        spent = SPENT.search(run.stdout)
        verdict = "failed" if run.returncode else "passed"
        seconds = f"{spent[1]} processor seconds, {spent[2]} at usual speed" if spent else "no figures"
        print(f"{number:>3} {verdict}: {seconds}, {time.monotonic() - began:.0f} s by the clock", flush=True)
        if run.returncode:
            sys.exit(run.stdout[-20_000:] + run.stderr[-5_000:])


def compute() -> None:
    while True:
        sum(range(10_000_000))


if __name__ == "__main__":
    main()
