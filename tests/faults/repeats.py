"""Invariant I3: what a fault may cost in calls that are sent twice, and when a call may be sent again."""

from collections import Counter

from tests.faults.matching import CLOCKS_APART

SURVEYS = ("patience_vs_impatience",)
MOST_SENDS = 8
ENDS_COMMITS = {"lock_or_restart_the_database", "fill_the_disk"}


def repeats_by_strike(evidence):
    """The rows of each strike whose good answer was not used, so that the call was or will be sent again.

    Those that no strike accounts for are under -1.
    """
    blamed = {lease: number for number, strike in enumerate(evidence.strikes) for lease in strike.doomed}
    found = {}
    for row in evidence.matched.rows:
        if row.billed and row.billed.kind == "answer" and row.state != "replied":
            found.setdefault(blamed.get((row.run_id, row.fence), -1), []).append(row)
    return found


def repeats_are_bounded(evidence):
    """I3: a call is sent twice only if it was under way on a worker that was struck, and one of each run at most."""
    matched, strikes = evidence.matched, evidence.strikes
    found = [f"Row {number} holds a reply that the provider never gave." for number in matched.unknown_serials]
    found += [f"The reply of bill line {serial} is stored twice." for serial in matched.twice]
    by_strike = repeats_by_strike(evidence)
    found += [
        f"Exchange {row.id} of run {row.run_id} ({row.environment}) was answered and is {row.state}, but no strike hit it."
        for row in by_strike.pop(-1, [])
    ]
    for number, rows in by_strike.items():
        times = Counter((row.run_id, row.fence) for row in rows if row.environment not in SURVEYS)
        found += [
            f"Strike {number} ({strikes[number].kind}) repeated {count} calls of run {run} under fence {fence}."
            for (run, fence), count in times.items()
            if count > 1
        ]
    return found + _given_up(evidence) + _too_often(evidence) + _too_early(evidence)


def _given_up(evidence):
    """A database that ends within a commit leaves an intent that no worker knows of; that call is never sent."""
    unheard = any(strike.kind in ENDS_COMMITS for strike in evidence.strikes)
    doomed = {lease for strike in evidence.strikes for lease in strike.doomed}
    return [
        f"Exchange {row.id} of run {row.run_id} was given up, but no strike hit its worker."
        for row in evidence.matched.rows
        if row.state in ("lost", "late") and (row.run_id, row.fence) not in doomed and (row.billed or not unheard)
    ]


def _too_often(evidence):
    resumptions = Counter(run for run, _ in evidence.resumed)
    sends = Counter(row.place for row in evidence.matched.rows)
    return [
        f"{place} was sent {count} times with {resumptions[place[0]]} resumptions of its run."
        for place, count in sends.items()
        if count > MOST_SENDS * (1 + resumptions[place[0]])
    ]


def _too_early(evidence):
    """No call is sent before the retry time of the provider, except after a person resumed the run."""
    if not evidence.clocks_agree:
        return []
    by_place = {}
    for row in evidence.matched.rows:
        by_place.setdefault(row.place, {})[row.send] = row
    found = []
    for sends in by_place.values():
        for send, row in sends.items():
            following = sends.get(send + 1)
            until = row.billed.retry_until if row.billed and row.serial is not None else 0.0
            if following is None or following.at >= until - CLOCKS_APART:
                continue
            if not any(run == row.run_id and row.at <= at <= following.at for run, at in evidence.resumed):
                found.append(f"{row.place} was sent again {until - following.at:.2f} s before the provider allowed it.")
    return found
