"""The bar lights one section on every page, and the tabs of a section stay in place."""

import re

import pytest
from django.test import Client

from pages.navigation.sections import SECTIONS, locate
from tests.cast import Telltale, furnish
from tests.queries import SIGNED_IN, queries_of
from tests.security.site_map import address, ids_of, pages
from tests.stub_provider import StubProvider
from tests.visitors import signed_in

FORMER = (
    "/", "/experiments/", "/leaderboard/", "/litmus/", "/instances/", "/play/", "/agents/", "/spend/",
    "/organization/", "/mentions/", "/go/", "/account/", "/starred/", "/account/tokens/", "/share/",
    "/organization/settings/", "/organization/webhooks/", "/organization/audit/", "/organization/new/", "/docs/",
    "/methodology/", "/api/v1/docs", "/docs/methodology/", "/docs/statistics/", "/runs/", "/compare/", "/trends/",
    "/mechanisms/", "/findings/", "/notes/", "/search/", "/instances/preview/", "/instances/designs/", "/seasons/",
    "/drift/", "/prompts/", "/ledger/", "/deleted/", "/experiments/new/", "/instances/designs/new/", "/agents/new/",
    "/experiments/import/", "/registrations/", "/tags/", "/exports/", "/leaderboards/", "/outside-columns/",
    "/convergence/", "/learning/", "/trajectories/", "/generalizability/", "/reproduction/", "/sensitivity/",
    "/variance/", "/conditions/", "/compare/litmus/", "/compare/runs/", "/organization/tokens/", "/docs/budgets/",
)  # fmt: skip
"""Every address that the bar, the menus, the foot, the palette or the heads of pages led to before there were tabs."""

CURRENT = re.compile(r'<a [^>]*?href="([^"?]*)[^"]*"[^>]*?aria-current="(page|true)"')


def part(html, begin, end):
    return html.partition(begin)[2].partition(end)[0]


def lit(html):
    """Titles of the sections that a page shows as its own: in the bar, the amount, the avatar's menu and the foot."""
    header, foot = (
        part(html, '<header class="site">', "</header>"),
        part(html, '<footer class="site-foot">', "</footer>"),
    )
    links = {link for link, _ in CURRENT.findall(header)}
    titles = [section.title for section in SECTIONS if section.door != "foot" and section.tabs[0].address in links]
    return titles + ["Documents"] * bool(CURRENT.search(foot))


def tabs(html):
    """(title, value of aria-current) of each tab."""
    nav = part(html, '<div class="section-tabs">', "</nav>")
    return [
        (" ".join(title.split()), part(attributes, 'aria-current="', '"'))
        for attributes, title in re.findall(r"<a ([^>]*)>(.*?)</a>", nav, re.DOTALL)
    ]


def test_every_tab_has_a_page_and_no_address_is_in_two_sections():
    all_tabs = [tab for section in SECTIONS for tab in (*section.tabs, *section.more)]
    missing = {page.name for tab in all_tabs for page in (tab, *tab.pages) if not page.address}
    assert not missing
    addresses = [tab.address for tab in all_tabs if tab.address]
    assert len(addresses) == len(set(addresses))
    assert all(locate(tab.address)[1] is tab for tab in all_tabs if tab.address)


@pytest.mark.parametrize("where", FORMER)
def test_every_former_link_answers_or_leads_on(page, where):
    assert page.get(where, follow=True).status_code == 200


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.title)
def test_tabs_stay_in_place_on_the_pages_of_a_section(page, section):
    rows = {}
    for tab in section.tabs:
        if not tab.address or tab.name == "dashboard:endpoints":
            continue
        html = page.get(tab.address).text
        assert lit(html) == [section.title], tab.address
        assert 'class="crumbs"' not in html, f"{tab.address} is a tab, so nothing is above it"
        rows[tab.title] = tabs(html)
    if len(section.tabs) == 1:
        assert rows == {section.tabs[0].title: []}
        return
    assert len({tuple(title for title, _ in row) for row in rows.values()}) == 1
    for title, row in rows.items():
        assert [other for other, current in row if current] == [title] and (title, "page") in row


@pytest.mark.long
def test_exactly_one_section_is_lit_on_every_page(owner, page):
    with StubProvider(Telltale("plain")) as stub:
        furnish(owner, "plain", stub)
    ids, wrong, seen = ids_of(owner), {}, 0
    for route in pages():
        if route.startswith(("s/", "p/")):
            continue
        response = page.get(address(route, ids), follow=True)
        html = "" if response.streaming else response.content.decode(errors="replace")
        if response.status_code == 200 and '<header class="site">' in html and 'aria-label="Main"' in html:
            seen += 1
            if len(titles := lit(html)) != 1:
                wrong[route] = titles
    assert wrong == {} and seen > 80


def test_tabs_are_those_that_the_reader_may_open(join, page):
    viewer = signed_in(join("victor", "viewer").user)
    for client, missing in (
        (viewer, {"Organization", "Webhooks", "Gallery", "Audit log", "Service tokens"}),
        (page, set()),
    ):
        titles = {title for title, _ in tabs(client.get("/account/").text)}
        assert (
            titles
            == {tab.title for section in SECTIONS if section.title == "Settings" for tab in section.tabs} - missing
        )
    assert "Launch" not in dict(tabs(viewer.get("/runs/").text)) and "Launch" in dict(tabs(page.get("/runs/").text))


def test_the_answers_without_a_tab_are_in_one_menu_that_keeps_the_filters(page):
    html = page.get("/leaderboard/", {"difficulties": "HARD", "rows": "own"}).text
    menu = part(html, 'aria-label="More of Results"', "</nav>")
    assert re.search(r'href="/variance/\?[^"]*difficulties=HARD', menu) and "Generalizability" in menu
    assert '<summary aria-current="true">' not in html
    assert '<summary aria-current="true">' in page.get("/variance/").text
    assert "/trends/" not in menu and "More results" not in html


def test_the_amount_opens_the_costs_and_spend_is_not_in_the_bar(page):
    html = page.get("/").text
    assert re.search(r'<a class="month"\s+href="/spend/"', html)
    assert "/spend/" not in part(html, 'aria-label="Main"', "</nav>")


def test_documents_have_tabs_without_an_account(db):
    assert tabs(Client().get("/docs/budgets/").text) == [("Guides", "true"), ("Methodology", ""), ("API docs", "")]


def test_the_bar_and_the_tabs_need_no_query(page):
    assert queries_of(page, "/trends/?rows=own") - queries_of(page, "/trends/?rows=own", **{"HX-Request": "true"}) <= 2
    assert queries_of(page, "/account/tokens/") >= SIGNED_IN


def test_one_page_lists_all_exports(page, played):
    played("random")
    html = page.get("/exports/").text
    for where in (
        "/exports/runs.jsonl",
        "/exports/runs.csv",
        "/spend/spend.csv",
        "/ledger/ledger.csv",
        "/registrations/",
    ):
        assert f'href="{where}' in html, where
