from typing import Any

from analysis.hidden import Hidden
from api.schemas.base import Out


class HiddenOut(Out):
    """Finished runs that the filters leave out."""

    runs: int
    sentence: str
    """How many, and the reason of most of them; empty where none is hidden."""
    query: str | None
    """The query string with which the same operation shows most of them; null where none does."""

    @staticmethod
    def values(hidden: Hidden) -> dict[str, Any]:
        largest = hidden.largest
        return {"runs": hidden.total, "sentence": hidden.sentence, "query": largest.query if largest else None}
