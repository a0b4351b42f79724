"""A browser in words, from what it says of itself."""

from __future__ import annotations

# The first that fits: Edge and Opera say Chrome too, and Chrome says Safari too.
BROWSERS = (("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def browser_of(user_agent: str) -> str:
    """'Firefox on macOS'; the beginning of what it says where it is none of the known ones."""
    browser = next((name for mark, name in BROWSERS if mark in user_agent), "")
    system = next((name for mark, name in SYSTEMS if mark in user_agent), "")
    if not browser:
        return user_agent[:60] or "Unknown browser"
    return f"{browser} on {system}" if system else browser
