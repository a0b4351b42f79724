from __future__ import annotations


class Refused(ValueError):
    """Something that is not imported, in one plain sentence that names the file and, where there is one, the line."""
