"""How to cite a gallery: as a sentence, and as an entry of BibTeX. Its numbers are live, so both name the day."""

import unicodedata
from dataclasses import dataclass
from datetime import date

from sharing.gallery.models import Gallery

_ESCAPED = str.maketrans(
    {letter: f"\\{letter}" for letter in "{}$&#_%"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)


@dataclass(frozen=True)
class Citation:
    plain: str
    bibtex: str


def cite(gallery: Gallery, address: str, day: date) -> Citation:
    """address: whole address of the gallery; day: on which its numbers were read"""
    names = gallery.author_names or [gallery.organization.name]
    stop = "" if gallery.title.endswith((".", "?", "!")) else "."
    published = f" {gallery.publication}." if gallery.publication else ""
    doi = f" https://doi.org/{gallery.doi}." if gallery.doi else ""
    plain = f"{', '.join(names)} ({day.year}). {gallery.title}{stop}{published}{doi} {address}, version of {day.isoformat()}."
    fields = {
        # A group keeps the name of an organization in one piece.
        "author": " and ".join(_tex(name) if gallery.author_names else f"{{{_tex(name)}}}" for name in names),
        "title": f"{{{_tex(gallery.title)}}}",
        "year": str(day.year),
        "howpublished": _tex(gallery.publication),
        "doi": _tex(gallery.doi),
        "url": address,
        "urldate": day.isoformat(),
        "version": day.isoformat(),
    }
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    key = f"{gallery.slug}-{day:%Y%m%d}"
    return Citation(" ".join(_one_line(plain).split()), f"@misc{{{key},\n" + ",\n".join(lines) + "\n}\n")


def _one_line(text: str) -> str:
    return "".join(" " if unicodedata.category(letter)[0] == "C" else letter for letter in text)


def _tex(text: str) -> str:
    """The text for BibTeX: special characters are escaped, and braces are balanced therefore."""
    return _one_line(text).translate(_ESCAPED)
