"""The invariants of a site after the faults, each a function that returns its violations as sentences."""

import json
import os
import subprocess
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any
from urllib.parse import urlsplit

from tests.faults.books import Books
from tests.faults.ledger import ledger_is_the_bill, nothing_stays_reserved
from tests.faults.matching import Matched, match, read_rows
from tests.faults.nemesis import RECOVERY_SECONDS, Strike
from tests.faults.repeats import repeats_are_bounded
from tests.faults.stages import postgres_programs
from tests.faults.stub_bill import Billed

NOT_COMPARED = ("experiment", "run", "conditions")
"""The stub answers each call as another model, which names the number of its bill."""


@dataclass
class Evidence:
    """The data available at the end. resumed: (run, wall clock) of every resumption by the rig.
    allowed: seconds of silence after a fault."""

    books: Books
    matched: Matched
    bill: list[Billed]
    strikes: list[Strike]
    exported: list[dict[str, Any]]
    expected: list[dict[str, Any]]
    seen: dict[str, list[str]] = field(default_factory=dict)
    resumed: list[tuple[int, float]] = field(default_factory=list)
    clocks_agree: bool = True
    allowed: float = RECOVERY_SECONDS


def gathered(site, strikes, experiments, expected, **more):
    """What a live site shows when everything is over; `more` as of Evidence."""
    bill = list(site.stub.bill)
    matched = match(read_rows(site.books), bill, clocks_agree=more.get("clocks_agree", True))
    exported = site.zygote.call("export", experiments=experiments)
    return Evidence(site.books, matched, bill, strikes, exported, expected, resumed=site.resumed, **more)


def each_period_once(evidence):
    """I1: every run is finished with the periods 0 to P-1, each once, and no place of a chat was answered twice."""
    found = []
    indices = defaultdict(list)
    for row in evidence.books.rows('SELECT run_id, "index" AS i FROM runs_period ORDER BY run_id, "index"'):
        indices[row["run_id"]].append(row["i"])
    for run in evidence.books.rows("SELECT id, state, reason, periods, periods_played, solved FROM runs_run"):
        played = indices[run["id"]]
        if run["state"] != "finished":
            found.append(f"Run {run['id']} is {run['state']} in the end: {run['reason']}")
        elif played != list(range(len(played))) or len(played) != run["periods_played"]:
            found.append(f"Run {run['id']} has the periods {played} and counts {run['periods_played']}.")
    replied = Counter(row.place for row in evidence.matched.rows if row.state == "replied")
    found += [f"{place} was answered {count} times." for place, count in replied.items() if count > 1]
    return found


def exports_are_identical(evidence):
    """I2: every run exports the same bytes as the same run without faults."""
    # By game, since undisturbed runs of several sites have the same numbers.
    calm = defaultdict(list)
    for record in evidence.expected:
        calm[_game([record])].append(record)
    found = []
    for _, records in groupby(evidence.exported, itemgetter("run")):
        run = list(records)
        expected = calm.get(_game(run))
        if expected is None:
            found.append(f"Run {run[0]['run']} was not played undisturbed: {_game(run)}.")
        elif len(expected) != len(run):
            found.append(f"Run {run[0]['run']} exports {len(run)} records, undisturbed {len(expected)}.")
        else:
            found += [_difference(a, b) for a, b in zip(run, expected, strict=True) if _bytes(a) != _bytes(b)]
    return found


def _game(run):
    return tuple(run[0][name] for name in ("environment", "difficulty", "seed", "agent", "variant"))


def _bytes(record):
    return json.dumps({name: value for name, value in record.items() if name not in NOT_COMPARED})


def _difference(record, expected):
    names = [name for name in record if name not in NOT_COMPARED and record[name] != expected.get(name)]
    first = names[0] if names else "the order of its fields"
    values = f"{record.get(first)!r:.150} instead of {expected.get(first)!r:.150}"
    return f"Run {record['run']}, period {record.get('period')}: {', '.join(names)} differ; {first} is {values}."


def budgets_hold(evidence):
    """I5: booked and reserved money never exceeded a budget, and no money stays reserved."""
    return evidence.seen.get("I5", []) + nothing_stays_reserved(evidence.books)


def database_is_sound(books):
    """I6: the database's own check of its pages and indexes."""
    if books.is_sqlite:
        answers = [next(iter(row.values())) for row in books.rows("PRAGMA integrity_check")]
        answers += [f"foreign key: {row}" for row in books.rows("PRAGMA foreign_key_check")]
        return [answer for answer in answers if answer != "ok"]
    programs, url = postgres_programs(), urlsplit(str(books.database))
    if programs is None:
        return []
    words = [programs / "pg_amcheck", "--install-missing", "--heapallindexed", "-h", url.hostname, "-p", str(url.port)]
    words += ["-U", url.username, url.path.lstrip("/")]
    variables = os.environ | {"PGPASSWORD": url.password or ""}
    done = subprocess.run(words, capture_output=True, text=True, cwd="/", env=variables)
    return [] if done.returncode == 0 else [f"pg_amcheck: {(done.stdout + done.stderr)[:500]}"]


def site_went_on(evidence):
    """I7: after every strike something was stored again in time."""
    return [
        f"Strike {number} ({strike.kind}): silence for {'over 60' if strike.seconds is None else f'{strike.seconds:.1f}'} "
        f"seconds; {strike.standing}."
        for number, strike in enumerate(evidence.strikes)
        if strike.seconds is None or strike.seconds > evidence.allowed
    ]


INVARIANTS = {
    "I1 each period once": each_period_once,
    "I2 exports identical": exports_are_identical,
    "I3 repeats bounded": repeats_are_bounded,
    "I4 ledger is the bill": ledger_is_the_bill,
    "I5 budgets hold": budgets_hold,
    "I6 database sound": lambda evidence: database_is_sound(evidence.books),
    "I7 the site goes on": site_went_on,
    # What the watcher once saw it saw again, unchanged.
    "I8 nothing disappears": lambda evidence: evidence.seen.get("I8", []),
}


def check(evidence):
    return {name: invariant(evidence) for name, invariant in INVARIANTS.items()}
