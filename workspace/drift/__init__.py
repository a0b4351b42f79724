"""Watches for drift: fixed instances that an agent replays on a schedule, and what changed since its baseline."""
