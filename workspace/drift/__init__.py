"""Watches for drift: an agent replays fixed instances on a schedule, and changes since its baseline are reported."""
