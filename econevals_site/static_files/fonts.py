"""Builds the two typefaces of the site as subsets with only the characters of its pages."""

import hashlib
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from fontpkg_inter import ROOT as INTER
from fontpkg_jetbrains_mono import ROOT as MONO
from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

LATIN = "".join(map(chr, [*range(0x20, 0x7F), *range(0xA0, 0x180)]))
SYMBOLS = "−–—‘’“”„†‡•…‹›€′″≈≠≤≥×÷±∞√∑∂∆→←↑↓↔·σαβγδεηθλμπρτφωΔΣΩ▸▾●○✓✗"
FEATURES = ("kern", "liga", "calt", "ccmp", "locl", "mark", "mkmk", "tnum", "case", "zero")


class Face(NamedTuple):
    """A variable font of an installed package. To save space, the axes in `dropped` are fixed at their default."""

    package: str
    source: Path
    target: str
    dropped: tuple[str, ...] = ()


FACES = (
    Face("fontpkg-inter", INTER / "files" / "Inter[opsz,wght].ttf", "inter.woff2", ("opsz",)),
    Face("fontpkg-jetbrains-mono", MONO / "files" / "JetBrainsMono[wght].ttf", "jetbrains-mono.woff2"),
)


def build_fonts(target: Path) -> None:
    """Write the subsets into `target`/fonts, unless they are up to date."""
    folder = target / "fonts"
    stamp = folder / "stamp"
    sources = [*(f"{face.package} {version(face.package)} {face.dropped}" for face in FACES), LATIN, SYMBOLS, *FEATURES]
    digest = hashlib.sha256("\n".join(sources).encode()).hexdigest()
    if stamp.is_file() and stamp.read_text() == digest and all((folder / face.target).is_file() for face in FACES):
        return
    folder.mkdir(parents=True, exist_ok=True)
    for face in FACES:
        font = TTFont(face.source)
        subsetter = subset.Subsetter(
            subset.Options(flavor="woff2", layout_features=list(FEATURES), hinting=False, notdef_outline=True)
        )
        subsetter.populate(text=LATIN + SYMBOLS)
        subsetter.subset(font)
        if face.dropped:
            font = instancer.instantiateVariableFont(font, dict.fromkeys(face.dropped))
        font.flavor = "woff2"
        # The file is renamed when it is complete, so that a page never loads half of it.
        draft = folder / f"{face.target}.part"
        font.save(draft)
        draft.replace(folder / face.target)
    stamp.write_text(digest)
