from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Frame:
    """The slim frame of a page. base: the address of the link's first page, with the token; place: where this page is
    below it, as (title, address) pairs
    """

    organization: str
    title: str
    base: str
    place: tuple[tuple[str, str], ...] = ()
    theme: str = ""
