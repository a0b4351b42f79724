"""What a terminal can show."""

import sys
from io import TextIOWrapper


def replace_missing_letters() -> None:
    """Let a terminal that lacks some letters show question marks for them, instead of ending the command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
