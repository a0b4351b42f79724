"""The ids of what a thread works on, which log lines in JSON name."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

_ids: ContextVar[Mapping[str, int]] = ContextVar("log_ids", default=MappingProxyType({}))


@contextmanager
def log_ids(**ids: int) -> Iterator[None]:
    """Name these ids in the log lines of this thread, beside those that are named already."""
    token = _ids.set({**_ids.get(), **ids})
    try:
        yield
    finally:
        _ids.reset(token)


def current_log_ids() -> Mapping[str, int]:
    return _ids.get()
