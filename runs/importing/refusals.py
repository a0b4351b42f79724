from __future__ import annotations


class Refused(ValueError):
    """Something that is not imported, in one plain sentence that names the file and, where there is one, the line."""


class TooSlow(Refused):
    """Reading takes longer than a browser waits; refuses the whole source, not only the log at hand."""
