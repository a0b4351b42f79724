"""The 36 first names of the name-variation experiment, nine in each of four groups (paper, appendix K)."""

import json
from pathlib import Path
from typing import NamedTuple


class Name(NamedTuple):
    """A name and whom it is stereotypically associated with (Bertrand and Mullainathan 2004).

    race: 'white' or 'african_american'
    gender: 'female' or 'male'
    """

    text: str
    race: str
    gender: str


_GROUPS = json.loads((Path(__file__).parent / "names.json").read_text(encoding="utf-8"))["groups"]
NAMES = tuple(Name(text, *group.rsplit("_", 1)) for group, names in _GROUPS.items() for text in names)
