"""The one table of sections and tabs. The bar, the tabs, the palette and the page of destinations are derived from it."""

from dataclasses import dataclass
from functools import cache

from django.urls import NoReverseMatch, reverse

from accounts.models import Membership
from analysis.answers import ANSWERS

BAR, AMOUNT, ACCOUNT, FOOT = "bar", "amount", "account", "foot"
"""Where the link of a section is: in the bar, as its amount of money, behind the avatar, or at the foot of the page."""


@dataclass(frozen=True)
class Page:
    """A page that the palette lists.

    name: of its URL
    right: the property of a membership that opens it; empty if every member may
    words: other words by which people look for it
    """

    title: str
    name: str
    right: str = ""
    words: str = ""

    @property
    def address(self) -> str:
        """Empty if the site has no such page."""
        try:
            return reverse(self.name)
        except NoReverseMatch:
            return ""

    def open_to(self, membership: Membership | None) -> bool:
        return bool(self.address) and (not self.right or bool(getattr(membership, self.right, False)))


@dataclass(frozen=True)
class Tab(Page):
    """A page that stays in sight on all pages of its section.

    prefixes: beginnings of the addresses below it, besides its own
    pages: pages below it that the palette lists as well
    """

    prefixes: tuple[str, ...] = ()
    pages: tuple[Page, ...] = ()


@dataclass(frozen=True)
class Section:
    """Pages that belong together. Its link leads to its first tab.

    door: where the link is
    prefixes: beginnings of the addresses of pages that no tab has
    more: the answers without a tab, in a menu behind the tabs
    """

    title: str
    tabs: tuple[Tab, ...]
    door: str = BAR
    prefixes: tuple[str, ...] = ()
    more: tuple[Tab, ...] = ()


EDIT, MANAGE = "may_edit", "may_manage"

_RESULTS = (
    Tab("Benchmarks", "analysis:leaderboard", words="leaderboard", prefixes=("/leaderboards/",),
        pages=(Page("Saved leaderboards", "analysis:saved-leaderboards"),)),
    Tab("Tradeoffs", "analysis:litmus", words="litmus tests"),
    Tab("Compare", "analysis:compare", words="agents",
        pages=(Page("Compare litmus scores", "analysis:compare-litmus"), Page("Compare runs", "analysis:compare-runs"))),
    Tab("Trends", "analysis:trends", words="scores over time"),
    Tab("Behaviour", "analysis:behaviour", words="mechanisms, what explains scores"),
    Tab("Notes", "notes:analyses", words="analyses", prefixes=("/questions/",)),
    Tab("Search", "notes:search", words="notes and transcripts"),
)  # fmt: skip

_MORE = tuple(
    Tab(answer.title, f"analysis:{answer.name}", words=answer.question)
    for answer in ANSWERS.values()
    if answer.template
    and not answer.filter_class.OF_NAMED_AGENTS
    and f"analysis:{answer.name}" not in {tab.name for tab in _RESULTS}
)

SECTIONS = (
    Section("Home", (Tab("Home", "home", prefixes=("/go/",)),)),
    Section("Experiments", (
        Tab("Experiments", "dashboard:experiments", prefixes=("/exports/", "/deleted/"), pages=(
            Page("Import", "transfer:import", EDIT, "logs"),
            Page("Export", "transfer:exports", words="runs files"),
            Page("Recently deleted", "dashboard:deleted"),
        )),
        Tab("Runs", "dashboard:runs", prefixes=("/comments/",)),
        Tab("Launch", "dashboard:launch", EDIT, "an experiment, new"),
        Tab("Registrations", "registrations:registrations"),
    )),
    Section("Results", _RESULTS, prefixes=("/outside-columns/",), more=_MORE),
    Section("Library", (
        Tab("Instances", "instances:instances", pages=(Page("Preview of an instance", "instances:preview"),)),
        Tab("Designs", "instances:designs", words="own instances",
            pages=(Page("Design instances", "instances:design-new", EDIT),)),
        Tab("Prompts", "dashboard:prompts", pages=(Page("Write a prompt", "dashboard:prompt-new", EDIT),)),
    )),
    Section("Agents", (
        Tab("Models", "dashboard:agents", words="agents", pages=(Page("Add an agent", "dashboard:agent-new", EDIT),)),
        Tab("Baselines", "dashboard:baselines"),
        Tab("Endpoints", "dashboard:endpoints", words="API keys of providers"),
        Tab("Outside", "dashboard:outside", words="outside agents"),
        Tab("Findings", "findings:findings", words="by agent"),
        Tab("Drift", "drift:watches", words="watches"),
    )),
    Section("Play", (
        Tab("Games", "play:play"),
        Tab("Studies", "play:studies", prefixes=("/studies/",)),
        Tab("Seasons", "play:seasons"),
    )),
    Section("Costs", (
        Tab("Costs", "spending:spend", words="spend, month, budget"),
        Tab("Calls", "spending:ledger", words="ledger"),
    ), AMOUNT),
    Section("Settings", (
        Tab("Your account", "accounts:account", prefixes=("/logout/",)),
        Tab("Your tokens", "api:tokens", words="API"),
        Tab("Members", "accounts:organization", prefixes=("/invitations/",)),
        Tab("Organization", "accounts:organization-settings", MANAGE, "settings",
            pages=(Page("New organization", "accounts:organization-new"),)),
        Tab("Service tokens", "api:organization-tokens", MANAGE, "API"),
        Tab("Webhooks", "webhooks:webhooks", MANAGE),
        Tab("Share links", "sharing:links"),
        Tab("Gallery", "gallery:manage", MANAGE, "public results"),
        Tab("Tags", "discussion:tags"),
        Tab("Audit log", "accounts:organization-audit", MANAGE),
    ), ACCOUNT),
    Section("Starred", (Tab("Starred", "discussion:starred"),), ACCOUNT),
    Section("Mentions", (Tab("Mentions", "discussion:mentions"),), ACCOUNT),
    Section("Documents", (
        Tab("Guides", "guides:guides", words="docs"),
        Tab("Methodology", "guides:methodology", words="formulas, definitions, statistics"),
        Tab("API docs", "api:docs"),
    ), FOOT),
)  # fmt: skip
"""All sections, in the order of the bar."""


@cache
def _by_prefix() -> list[tuple[str, Section, Tab | None]]:
    """(beginning of an address, section, tab), the longest first."""
    rows: list[tuple[str, Section, Tab | None]] = []
    for section in SECTIONS:
        rows += [(prefix, section, None) for prefix in section.prefixes]
        for tab in (*section.tabs, *section.more):
            rows += [(prefix, section, tab) for prefix in (tab.address, *tab.prefixes) if prefix]
    return sorted(rows, key=lambda row: -len(row[0]))


def locate(path: str) -> tuple[Section | None, Tab | None]:
    """The section and the tab of a page; the longest beginning of its address decides.

    The tab is None on pages that no tab has, and both are None outside all sections.
    """
    for prefix, section, tab in _by_prefix():
        if path == prefix if prefix == "/" else path.startswith(prefix):
            return section, tab
    return None, None
