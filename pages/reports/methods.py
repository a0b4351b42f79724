"""How the numbers of a report are computed: the sections of the documents that say it, so that there is one copy of them."""

import re
import sys
from collections.abc import Iterable
from pathlib import Path

from django.conf import settings
from django.utils.safestring import SafeString

from environments.registry import ENVIRONMENTS
from infrastructure.text.rendering import render_own

STATISTICS = "statistics.md"
COMPARING = "Comparing agents"
SCORE = re.compile(r"\bscores?\b", re.IGNORECASE)


def statistics(title: str) -> SafeString:
    """A section of docs/statistics.md. KeyError if there is none of that title."""
    text = (settings.BASE_DIR / "docs" / STATISTICS).read_text(encoding="utf-8")
    return render_own(f"## {title}\n{sections(text)[title]}")


def scores_of(environments: Iterable[str]) -> SafeString:
    """How each environment scores a run, with formulas and the sections of the paper: from the README beside its code."""
    parts = []
    for name in environments:
        folder = Path(str(sys.modules[ENVIRONMENTS[name].__module__].__file__)).parent
        readme_sections = sections((folder / "README.md").read_text(encoding="utf-8"))
        parts += [
            f"## {ENVIRONMENTS[name].title}: {title}\n{text}"
            for title, text in readme_sections.items()
            if SCORE.search(title)
        ]
    return render_own("\n".join(parts))


def sections(document: str) -> dict[str, str]:
    """The text below each heading of the second level."""
    _, *parts = re.split(r"^## +", document, flags=re.MULTILINE)
    return {title.strip(): text for title, _, text in (part.partition("\n") for part in parts)}
