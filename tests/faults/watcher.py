"""Polls the pages of the site and records everything that they show."""

import hashlib
import threading

from tests.faults.books import Books

CLOSED = ("replied", "failed", "unknown", "lost", "late")
# A closed exchange stays as it is, but for one that was given up and then answered after all.
MAY_BECOME = {"lost": ("late",)}
PERIODS = 'SELECT id, run_id, "index", action, result, quality, queries, cost_nano FROM runs_period'
NOTES = 'SELECT id, run_id, period_index, seat, "order", text FROM runs_note'
EXCHANGES = (
    "SELECT id, run_id, period_index, seat, attempt, step, send, state, reply, input_tokens, output_tokens, cost_nano"
    " FROM runs_exchange WHERE state <> 'sent'"
)


class Watcher(threading.Thread):
    """Invariants I8 and I5 while the site runs; what it found wrong is in `violations`, once each."""

    def __init__(self, database, seconds):
        super().__init__(daemon=True)
        self.books = Books(database)
        self.seconds = seconds
        self.looks = 0
        self.violations = {"I5": [], "I8": []}
        self._seen = {"period": {}, "note": {}, "exchange": {}}
        self._ended = threading.Event()

    def run(self):
        while not self._ended.wait(self.seconds):
            self.look()

    def stop(self):
        """Look a last time."""
        self._ended.set()
        self.join()
        self.look()
        self.books.close()

    def look(self):
        # Earlier content must still be there, so the old state is compared with the new state.
        self._compare("period", self._facts(PERIODS))
        self._compare("note", self._facts(NOTES))
        self._compare("exchange", self._facts(EXCHANGES))
        for sentence in over_budget(self.books):
            self._say("I5", sentence)
        self.looks += 1

    def _facts(self, query):
        return {row["id"]: _fact(row) for row in self.books.rows(query)}

    def _compare(self, kind, now):
        for number, fact in self._seen[kind].items():
            if number not in now:
                self._say("I8", f"The {kind} with number {number} was shown and is gone.")
            elif now[number] != fact and now[number][0] not in MAY_BECOME.get(fact[0], ()):
                self._say("I8", f"The {kind} with number {number} was shown as {fact} and is now {now[number]}.")
        self._seen[kind] = now

    def _say(self, invariant, sentence):
        if sentence not in self.violations[invariant]:
            self.violations[invariant].append(sentence)


def _fact(row):
    """A row in few bytes: its state, then a fingerprint of everything in it."""
    values = [bytes(value) if isinstance(value, memoryview) else value for value in row.values()]
    return row.get("state"), hashlib.md5(repr(values).encode(), usedforsecurity=False).hexdigest()


def over_budget(books):
    """I5 at this moment: nowhere is more booked and reserved than the budget allows."""
    found = []
    for table, columns in books.columns.items():
        if not {"budget_nano", "cost_nano", "reserved_nano"} <= columns:
            continue
        query = (
            f"SELECT id, budget_nano, cost_nano, reserved_nano FROM {table}"
            " WHERE budget_nano IS NOT NULL AND cost_nano + reserved_nano > budget_nano"
        )
        found += [
            f"{table} {row['id']} has booked {row['cost_nano']} and reserved {row['reserved_nano']} of {row['budget_nano']}."
            for row in books.rows(query)
        ]
    return found
