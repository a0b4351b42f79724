"""Soak test: a site on PostgreSQL under mixed load for two hours, checked for lost data, errors and memory leaks.

    python -m benchmarks soak [--minutes 120] [--seed 1] [--every 20] [--agents 6]

A new site with a web process and two workers plays runs of two models against a provider that records its bill. At the same
time outside agents play episodes by REST and MCP, a person reads pages and pauses and resumes runs, and a program exports.
One worker is killed by SIGKILL every `--every` seconds. The other worker and the web process keep running, so that their
memory can be compared. At the end the runs are finished, and the invariants of tests/faults are checked. The exit code is
1 if an invariant is violated, if there was a deadlock or a database error, or if a process grew by 5 % after its first ten
minutes.

All processes share the machine. PostgreSQL must be installed; the benchmark starts its own server.
"""

import re
import statistics
import tempfile
import time
from contextlib import ExitStack, closing
from pathlib import Path

from benchmarks.soak_load import OWNER, Load
from tests.data_folders import run_on
from tests.faults.breakage import Tools
from tests.faults.checker import INVARIANTS, Evidence
from tests.faults.figures import Outcome, figures
from tests.faults.games import NANO_PER_TOKEN
from tests.faults.live import LiveSite
from tests.faults.matching import match, read_rows
from tests.faults.nemesis import Nemesis, Strike
from tests.faults.rig import LOW, finish
from tests.faults.stages import Cluster, Stage
from tests.faults.watcher import Watcher
from tests.runs.episodes.served import ServedSite

BATCH = {"periods": 40, "litmus": 20, "seeds": 2}
WARM_UP_MINUTES, MOST_GROWTH = 10.0, 0.05
DEADLOCKS = "SELECT deadlocks AS n FROM pg_stat_database WHERE datname = current_database()"
LEASED = "SELECT id FROM runs_run WHERE lease_owner <> '' OR lease_until IS NOT NULL"
ERRORS = re.compile(r"OperationalError|InterfaceError|deadlock detected|Internal Server Error")


def kill_the_other(nemesis: Nemesis, strike: Strike) -> None:
    nemesis.kill(strike, nemesis.site.workers[-1], group=True)


def soak(stage: Stage, minutes: float, seed: int, every: float, agents: int) -> Outcome:
    more = {name: stage.variables[name] for name in ("DATABASE_URL", "SECRET_KEY", "ECONEVALS_ALLOW_PRIVATE_ENDPOINTS")}
    web = ServedSite(stage.folder, ECONEVALS_API_REQUESTS="1000000", **more)
    web.token = run_on(stage.folder, OWNER, **more)
    watcher = Watcher(stage.database, 20.0)
    with ExitStack() as stack:
        site = stack.enter_context(closing(LiveSite(stage, seed=seed, delay=0.3, threads=16)))
        site.launch(BATCH)
        for _ in range(2):
            site.start_worker()
        stack.callback(web.stop)
        web.start()
        watcher.start()
        nemesis = Nemesis(site, seed, (), spell=0.0, tools=Tools())
        nemesis.choices = [(kill_the_other, 1)]
        with closing(Load(site, web, agents, seed)) as load:
            began = time.monotonic()
            torment(site, nemesis, began + 60 * minutes, every)
        nemesis.strikes.append(finish(site, None))
        watcher.stop()
        return judged(site, load, nemesis.strikes, watcher, time.monotonic() - began, minutes)


def torment(site: LiveSite, nemesis: Nemesis, until: float, every: float) -> None:
    while time.monotonic() < until:
        if site.periods_left() < LOW:
            site.launch(BATCH)
        strike = nemesis.strike()
        left = (until - time.monotonic()) / 60
        print(
            f"{left:.1f} min left: {len(strike.doomed)} runs hit, went on after {strike.seconds or 0:.1f} s", flush=True
        )
        time.sleep(min(every, max(0.0, until - time.monotonic())))
        site.resume_paused(None)


def judged(
    site: LiveSite, load: Load, strikes: list[Strike], watcher: Watcher, seconds: float, minutes: float
) -> Outcome:
    if late := site.renewed_late():
        strikes.append(Strike("machine_too_busy", doomed=late, seconds=0.0))
    bill = list(site.stub.bill)
    # Rows of outside agents are left out, because the provider did not bill them.
    rows = [row for row in read_rows(site.books) if row.model in NANO_PER_TOKEN]
    evidence = Evidence(
        site.books, match(rows, bill, clocks_agree=True), bill, strikes, [], [], watcher.violations, site.resumed
    )
    violations = {name: invariant(evidence) for name, invariant in INVARIANTS.items() if not name.startswith("I2")}
    logs = [site.zygote.log, site.stage.folder / "web.log"]
    lines = ((log.name, line) for log in logs for line in log.read_text(errors="replace").splitlines())
    deadlocks = int(site.books.one(DEADLOCKS))
    grown = {name: growth(samples, minutes) for name, samples in load.memory.items()}
    violations |= {
        "no deadlock": [f"PostgreSQL ended {deadlocks} deadlocks."] if deadlocks else [],
        "no error in logs": [f"{name}: {line[:200]}" for name, line in lines if ERRORS.search(line)],
        "no lease left": [f"Run {row['id']} is still leased." for row in site.books.rows(LEASED)],
        "nobody met a fault": load.failures,
        "nobody ended by itself": [f"Worker {pid} ended." for pid in site.died],
        "memory stays": [f"{name} grew by {part:.1%}." for name, (_, part) in grown.items() if part >= MOST_GROWTH],
    }
    done = {"done": ", ".join(f"{number} by {name}" for name, number in sorted(load.done.items()))}
    memory = {f"memory of {name}": sentence for name, (sentence, _) in grown.items()}
    return Outcome(figures(evidence, seconds, watcher.looks) | done | memory, violations)


def growth(samples: list[tuple[float, int]], minutes: float) -> tuple[str, float]:
    """Compare the median memory in the first and the last tenth of the time after the warm-up, at least a minute each.

    Returns a text and the relative growth. `samples`: (seconds since the start, kilobytes).
    """
    warm = 60 * min(WARM_UP_MINUTES, minutes / 3)
    span = max(60.0, 6 * (minutes - warm / 60))
    tenths = [memory / 1024 for at, memory in samples if at >= warm][:: max(1, len(samples) // 10)]
    first = [memory for at, memory in samples if warm <= at < warm + span]
    last = [memory for at, memory in samples if at >= samples[-1][0] - span]
    before, after = (statistics.median(part) / 1024 for part in (first, last))
    between = ", ".join(f"{memory:.0f}" for memory in tenths)
    return f"{before:.1f} MB after {warm / 60:.0f} min, {after:.1f} MB at the end ({between})", after / before - 1


def main(*, minutes: float = 120.0, seed: int = 1, every: float = 20.0, agents: int = 6) -> int:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="econevals-soak-")))
        cluster = Cluster()
        stack.callback(cluster.close)
        stage = stack.enter_context(Stage.on_postgres(folder / "site", cluster.url, cluster))
        outcome = soak(stage, minutes, seed, every, agents)
    print(outcome)
    return 1 if outcome.sentences else 0
