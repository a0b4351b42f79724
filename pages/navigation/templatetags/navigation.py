"""The bar with the sections, and the tabs of the section that the page is in."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django import template

from analysis.answers import ANSWERS
from analysis.base.filters import Filter
from pages.navigation.sections import SECTIONS, Tab, locate

register = template.Library()


@dataclass(frozen=True)
class Link:
    """current: the value of aria-current: 'page' for the page itself, 'true' for what it belongs to, or empty"""

    title: str
    address: str
    current: str
    about: str = ""


@dataclass(frozen=True)
class SectionLink(Link):
    """A section with the tabs that the reader may open, and the answers without a tab."""

    door: str = ""
    tabs: Sequence[Link] = ()
    more: Sequence[Link] = ()

    @property
    def in_more(self) -> bool:
        return any(link.current for link in self.more)


@register.simple_tag(takes_context=True)
def navigation(context: dict[str, Any]) -> list[SectionLink]:
    """The sections that the reader may open, of which the page's own is current. Needs no query."""
    request = context.get("request")
    membership, path = getattr(request, "membership", None), request.path if request else ""
    here, tab_here = locate(path)

    def links(tabs: Iterable[Tab]) -> list[Link]:
        return [_link(tab, tab is tab_here, path, context) for tab in tabs if tab.open_to(membership)]

    return [
        SectionLink(
            section.title,
            tabs[0].address,
            "" if section is not here else "page" if path == tabs[0].address and len(tabs) == 1 else "true",
            door=section.door,
            tabs=tabs,
            more=links(section.more),
        )
        for section in SECTIONS
        if (tabs := links(section.tabs))
    ]


def _link(tab: Tab, is_here: bool, path: str, context: dict[str, Any]) -> Link:
    current = "" if not is_here else "page" if tab.address == path else "true"
    return Link(tab.title, tab.address + _kept_filters(tab, context), current, tab.words)


def _kept_filters(tab: Tab, context: dict[str, Any]) -> str:
    """The query of the page's filters, if it is an answer and the answer of the tab has all their fields."""
    run_filter, answer = context.get("filter"), ANSWERS.get(tab.name.removeprefix("analysis:"))
    if not isinstance(run_filter, Filter) or not answer or not issubclass(answer.filter_class, type(run_filter)):
        return ""
    return f"?{query}" if (query := run_filter.query()) else ""
