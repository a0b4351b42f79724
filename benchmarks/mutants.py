"""Measures which small mistakes (mutants) in the engine, money, statistics and sign-in the tests find.

    python -m benchmarks branches FOLDER
    python -m benchmarks mutants FOLDER RESULTS.jsonl [--like BEFORE.jsonl] [--number 82] [--seed 1] [--seconds 60]
    python -m benchmarks mutants --compare BEFORE.jsonl AFTER.jsonl
    python -m benchmarks mutants FOLDER RESULTS.jsonl --key KEY

FOLDER tells which tests reach each line. For each mutant the tests that reach it are run, until one fails or the processor
seconds are over. Mutants in RESULTS are skipped, except survivors that had less time. Tests run in copies of the last
commit, so uncommitted changes have no effect.
"""

import hashlib
import json
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import asdict
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import harness
from benchmarks.branches import Reach
from benchmarks.harness import ROOT, share, site_variables
from benchmarks.mutant_runs import Copy
from benchmarks.mutations import Mutant, mutants_of

GROUPS = {
    "money": (
        "workspace/spending", "agents/prices.py", "agents/sizes.py", "infrastructure/money.py", "runs/estimating",
        "runs/engine/writing/budget_accounts.py", "runs/models/money.py", "runs/services/budgets.py", "runs/list_prices.py",
    ),
    "engine": (
        "runs/engine", "runs/tasks.py", "runs/rebuilding.py", "runs/events.py", "runs/models/runs.py", "agents/loop.py",
        "agents/llm.py", "agents/tools.py", "agents/episode.py", "agents/survey.py",
        "infrastructure/limiter", "infrastructure/claims.py", "infrastructure/transactions.py",
    ),
    "statistics": (
        "stats", "runs/stages", "analysis/base", "analysis/benchmark", "analysis/comparing", "analysis/litmus",
        "analysis/behaviour", "analysis/trends",
    ),
    "sign-in": ("accounts", "api/auth.py", "api/services.py", "api/models.py", "api/selectors.py", "api/middleware.py"),
}  # fmt: skip
"""Files and folders by group. A file belongs to the first group that names it."""

HEAD = ("group", "mutants", "killed", "of them by time-out or crash", "survived", "reached by no test")
KILLED = ("killed", "import", "time-out", "crash")
FEW_TESTS, MOST_TESTS = 12, 400
Result = dict[str, Any]
Work = list[tuple[str, Mutant]]


def group_of(file: str) -> str:
    """Return the group of a file; an empty text if it belongs to none."""
    if "/migrations/" in file or "/management/" in file:
        return ""
    return next((group for group, parts in GROUPS.items() if any(f"{file}/".startswith(f"{p}/") for p in parts)), "")


def population() -> dict[str, list[Mutant]]:
    """All mutants of each group in the last commit."""
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True)
    mutants = defaultdict(list)
    for file in filter(group_of, listed.stdout.split()):
        mutants[group_of(file)] += mutants_of(file, (ROOT / file).read_text())
    return mutants


def draw(mutants: list[Mutant], number: int, seed: int) -> list[Mutant]:
    """Draw a sample: the operators take turns, and each gives its mutants in the order of their hashes."""
    turns: Counter[str] = Counter()
    ranked = []
    for digest, mutant in sorted((hashlib.sha256(f"{seed}:{m.key}".encode()).digest(), m) for m in mutants):
        turns[mutant.operator] += 1
        ranked.append((turns[mutant.operator], digest, mutant))
    return [mutant for *_, mutant in sorted(ranked, key=lambda turn: turn[:2])[:number]]


def alike(mutants: dict[str, list[Mutant]], before: dict[str, Result]) -> Work:
    """Return the mutants of an earlier run whose functions still have the same source."""
    return [
        (group, mutant)
        for group, members in mutants.items()
        for mutant in members
        if mutant.key in before and before[mutant.key]["text"] == mutant.text
    ]


def ask_all(work: Work, reach: Reach, results: Path, seconds: float, workers: int, before: dict[str, Result]) -> None:
    """Test all mutants, and write each result at once. A test that killed a mutant before is run first, even if slow."""
    copies: Queue[Copy] = Queue()
    sound: set[str] = set()
    with TemporaryDirectory(prefix="mutants.") as data, results.open("a") as lines, ExitStack() as stack:
        for _ in range(workers):
            copies.put(stack.enter_context(closing(Copy(site_variables(data)))))

        def ask(group: str, mutant: Mutant) -> None:
            copy = copies.get()
            try:
                tests = reach.tests(mutant.file, mutant.reached)
                quick = [test for test in tests if reach.seconds[test] <= 2 * seconds]
                if "::" in (killer := before.get(mutant.key, {}).get("by", "")):
                    tests = quick = [killer, *quick]
                result = tested(copy, mutant, quick, seconds, sound) if tests else {"outcome": "unreached"}
            finally:
                copies.put(copy)
            about = {"key": mutant.key, "name": mutant.name, "group": group, **asdict(mutant), "seconds": seconds}
            print(json.dumps(about | result | {"reaching": len(tests)}), file=lines, flush=True)
            print(f"{result['outcome']:9} {mutant.name}", flush=True)

        with ThreadPoolExecutor(workers) as pool:
            for future in [pool.submit(ask, group, mutant) for group, mutant in work]:
                future.result()


def tested(copy: Copy, mutant: Mutant, tests: list[str], seconds: float, sound: set[str]) -> Result:
    """Test one mutant. A few tests are run first, because they kill most mutants, and collecting many tests is slow."""
    number = 0
    for part in (tests[:FEW_TESTS], tests[FEW_TESTS:MOST_TESTS]):
        answer = failure(copy, mutant, part, seconds, sound)
        if answer["failed"]:
            return {"outcome": answer["ended"], "by": answer["failed"], "said": answer["said"]}
        number += answer["asked"]
    return {"outcome": "survived", "asked": number}


def failure(copy: Copy, mutant: Mutant, tests: list[str], seconds: float, sound: set[str]) -> Result:
    """Return the answer of these tests, without tests that also fail on the unchanged code.

    sound: tests known to pass on the unchanged code; more are added here
    """
    source = (ROOT / mutant.file).read_text()
    while tests:
        answer = copy.ask(file=mutant.file, source=mutant.applied(source), tests=tests, seconds=seconds)
        if answer["ended"] == "killed" and answer["failed"] in sound or answer["ended"] == "survived":
            return answer
        suspects = [answer["failed"]] if answer["failed"] in tests else tests
        # With 0 seconds only the first test is run, but all of them are collected.
        if copy.ask(file=mutant.file, source=source, tests=suspects, seconds=0)["ended"] == "survived":
            sound.add(suspects[0])
            return answer
        tests = [test for test in tests if test != suspects[0]]
    return {"ended": "survived", "failed": "", "asked": 0}


def read(results: Path) -> dict[str, Result]:
    """Read the last result of each mutant, by its key."""
    lines = results.read_text().splitlines() if results.exists() else ()
    return {record["key"]: record for record in map(json.loads, lines)}


def is_settled(result: Result | None, seconds: float) -> bool:
    """Whether another test of the mutant with this time would run no further tests."""
    return result is not None and (
        result["outcome"] != "survived"
        or result["asked"] >= min(MOST_TESTS, result["reaching"])
        or result["seconds"] >= seconds
    )


def report(results: Iterable[Result]) -> Iterator[str]:
    """Yield the lines of a table by group, and a line for each mutant that was not killed."""
    results = list(results)
    rows = []
    for group in [*sorted({result["group"] for result in results}), "all"]:
        counts = Counter(result["outcome"] for result in results if group in (result["group"], "all"))
        total, killed = sum(counts.values()), sum(counts[outcome] for outcome in KILLED)
        numbers = (counts["time-out"] + counts["crash"], counts["survived"], counts["unreached"])
        rows.append([group, str(total), f"{killed} ({share(killed, total, 0)})", *map(str, numbers)])
    yield from harness.table(HEAD, rows)
    for result in sorted(results, key=lambda result: (result["group"], result["key"])):
        if result["outcome"] not in KILLED:
            yield f"{result['group']}: {_not_killed(result)}: {result['name']} ({result['key']})"


def _not_killed(result: Result) -> str:
    reached = f"survived {result.get('asked')} of {result['reaching']} tests"
    return "reached by no test" if result["outcome"] == "unreached" else reached


def compared(before: dict[str, Result], after: dict[str, Result]) -> Iterator[str]:
    """Yield a line for each mutant that was killed before and is not killed now, or cannot be compared."""
    for key, old in sorted(before.items()):
        new = after.get(key)
        if old["outcome"] not in KILLED:
            continue
        if new is None or new["text"] != old["text"]:
            yield f"not asked again, since its function changed or is gone: {old['name']} ({key})"
        elif new["outcome"] not in KILLED:
            yield f"killed before by {old['by']}, now {_not_killed(new)}: {new['name']} ({key})"


def compare_results(before: Path, after: Path) -> int:
    """Print both tables and the lines of `compared`. Returns 1 if there are such lines, otherwise 0."""
    old, new = read(before), read(after)
    for results in (old, new):
        print("\n".join(line for line in report(results.values()) if line.startswith("|")))
    lost = "\n".join(compared(old, new))
    print(lost or "Every mutant that was killed before is killed now.")
    return int(bool(lost))


def main(
    folder: Path,
    results: Path,
    *,
    compare: bool = False,
    like: Path | None = None,
    key: str = "",
    number: int = 82,
    seed: int = 1,
    seconds: float = 60,
    workers: int = 2,
) -> int:
    if compare:
        return compare_results(folder, results)
    mutants, done = population(), read(results)
    before = read(like) if like else {}
    if key:
        work = [(group, mutant) for group in mutants for mutant in mutants[group] if mutant.key == key]
    elif like:
        work = alike(mutants, before)
    else:
        work = [(group, mutant) for group in GROUPS for mutant in draw(mutants[group], number, seed)]
    left = [pair for pair in work if key or not is_settled(done.get(pair[1].key), seconds)]
    ask_all(left, Reach(folder), results, seconds, workers, before)
    done = read(results)
    print(*report(done[mutant.key] for _, mutant in work), sep="\n")
    return 0
