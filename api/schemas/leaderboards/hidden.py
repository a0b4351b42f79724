from typing import Any

from analysis.base.hidden import Hidden
from api.schemas.base import Out


class HiddenOut(Out):
    """Finished runs that the filters leave out."""

    runs: int
    sentence: str
    """The number of hidden runs and the most common reason, in words; empty if no run is hidden."""
    query: str | None
    """A query string with which the same operation shows most of the hidden runs; null if none does."""

    @staticmethod
    def values(hidden: Hidden) -> dict[str, Any]:
        largest = hidden.largest
        return {"runs": hidden.total, "sentence": hidden.sentence, "query": largest.query if largest else None}
