"""The limiter of a process. It has one gate for each key, and one pool of connections to the broker."""

import os
import threading
import uuid
import weakref
from collections.abc import Callable, Iterable
from itertools import count

from infrastructure.limiter.gate import Gate
from infrastructure.limiter.store import Store
from infrastructure.limiter.vocabulary import Key, Limits, Pace, Slot, Status


class Limiter:
    """Limits calls per provider key across all processes that share the broker at `url`."""

    def __init__(self, url: str, pace: Pace | None = None):
        self._url, self._pace = url, pace or Pace()
        self._begin()
        _limiters.add(self)

    def _begin(self) -> None:
        """Initialize. A forked process does this again, because connections, locks and slots belong to its parent."""
        process = uuid.uuid4().hex[:8]
        numbers = count(1)
        self._next_token = lambda: f"{process}-{next(numbers)}"
        self._store = Store(self._url, self._pace, process)
        self._lock = threading.Lock()
        self._gates: dict[Key, Gate] = {}

    def acquire(self, key: Key, limits: Limits, tokens: int = 0, stop: Callable[[], bool] | None = None) -> Slot:
        """Acquire a slot for one call. Waits up to Pace.patience_seconds. Raises Held.

        tokens: estimated tokens of the call
        stop: called when the wait lasts longer than an instant, then about once a second; True ends the wait
        """
        return self._gate(key).acquire(limits, tokens, stop)

    def renew(self) -> None:
        """Renew the slots of this process in one round trip. Call it well within Pace.slot_seconds."""
        gates = dict(self._gates)
        before = {key: held for key, gate in gates.items() if (held := gate.held())}
        if not before or not self._store.on_slots("renew", {key: sorted(held) for key, held in before.items()}):
            return
        # The renewal may have added a slot again that was freed meanwhile.
        gone = {key: sorted(held - gates[key].held()) for key, held in before.items()}
        if any(gone.values()):
            self._store.on_slots("drop", gone)

    def status(self, keys: Iterable[Key]) -> dict[Key, Status]:
        """Return the status of each key, in one round trip; {} while the broker is away."""
        requested_keys = list(keys)
        return self._store.status(requested_keys) if requested_keys else {}

    def reset(self, key: Key) -> None:
        """End the hold and close the breaker, because a person changed the key or wants to try again."""
        self._store.reset(key)
        self._gate(key).forget()

    def _gate(self, key: Key) -> Gate:
        with self._lock:
            if key not in self._gates:
                self._gates[key] = Gate(key, self._store, self._pace, self._next_token)
            return self._gates[key]


_limiters: weakref.WeakSet[Limiter] = weakref.WeakSet()


def _after_fork() -> None:
    for limiter in _limiters:
        limiter._begin()


os.register_at_fork(after_in_child=_after_fork)
