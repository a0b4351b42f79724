from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Frame:
    """The frame of a page.

    base: the address of the link's first page
    place: the pages above this one, as (title, address)
    """

    organization: str
    title: str
    base: str
    place: tuple[tuple[str, str], ...] = ()
    theme: str = ""
