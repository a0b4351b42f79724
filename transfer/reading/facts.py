from __future__ import annotations

from transfer.reading.logs import LOGS, Log


def facts_of(log: Log) -> dict[str, str]:
    """Facts of a log besides its periods: {label: text}"""
    facts = dict(log.game.facts)
    if log.played_at and not log.times.first:
        facts["Begun"] = f"{log.played_at:%d %B %Y, %H:%M}, by the name of its folder"
    if log.cut_line:
        facts["Cut off"] = f"in the row that begins in line {log.cut_line} of {LOGS}; the rows before it are kept"
    if log.dropped_calls:
        facts["Calls beside a text"] = (
            f"{log.dropped_calls}, passed over by the published code, so they are left out here"
        )
    if log.unread_calls:
        facts["Replies that could not be read"] = f"{log.unread_calls}"
    return facts
