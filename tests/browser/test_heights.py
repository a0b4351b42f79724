"""Main pages answer at a glance: few pixels with much data, which is that of `benchmarks pages`."""

from datetime import date

import pytest
from playwright.sync_api import expect

from benchmarks.furnished import furnish
from runs import catalog
from runs.bootstrap import ensure_organization
from runs.models import RunState
from tests.browser.conftest import CHROMIUM, OVERFLOW
from tests.conftest import need
from tests.visitors import signed_in

pytestmark = [pytest.mark.browser, pytest.mark.long, pytest.mark.django_db(transaction=True)]

HEIGHTS = {
    "/litmus/": {1440: 1800},
    "/behaviour/": {1440: 2000},
    "/agents/": {1440: 1500, 390: 3000},
}
LOST = """[...document.querySelectorAll("main .panel *")].filter((box) => {
  const style = getComputedStyle(box);
  return style.overflowX === "hidden" && style.textOverflow !== "ellipsis" && box.clientWidth > 40
    && box.scrollWidth > box.clientWidth + 1;
}).map((box) => box.outerHTML.slice(0, 80))"""


@pytest.fixture
def furnished(live_server, monkeypatch):
    need("Chromium", bool(CHROMIUM))
    # Retired models may be used, because none is called.
    monkeypatch.setattr(catalog, "today", lambda: date(2025, 1, 1))
    organization, _ = ensure_organization(allow_environment_keys=False)
    owner = organization.memberships.select_related("organization", "user").get()
    return owner, furnish(owner)


def test_main_pages_answer_at_a_glance_with_much_data(browser, live_server, furnished):
    owner, site = furnished
    heights = {}
    for width, height in ((1440, 900), (390, 844)):
        context = browser.new_context(viewport={"width": width, "height": height})
        context.add_cookies(
            [{"name": c.key, "value": c.value, "url": live_server.url} for c in signed_in(owner.user).cookies.values()]
        )
        page = context.new_page()
        for address in ("/", *HEIGHTS, "/leaderboard/"):
            page.goto(live_server.url + address)
            page.wait_for_load_state("networkidle")
            assert page.evaluate(OVERFLOW) <= 0, (address, width)
            assert width < 400 or page.evaluate(LOST) == [], address
            heights[address, width] = page.evaluate("document.documentElement.scrollHeight")
    print(heights)
    for address, most in HEIGHTS.items():
        assert {width: heights[address, width] for width in most if heights[address, width] > most[width]} == {}, (
            address
        )

    page = context.new_page()
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{live_server.url}/experiments/{site.small.pk}/")
    ends = [
        box["y"] + box["height"] for box in (page.locator(part).bounding_box() for part in ("#scores", "#progress"))
    ]
    assert abs(ends[0] - ends[1]) < 2, "The columns of an experiment end together."

    page.goto(f"{live_server.url}/experiments/{site.large.pk}/")
    cells = page.locator("#late-procurement a.cell")
    expect(cells).to_have_count(504)
    site.large.runs.filter(state=RunState.PAUSED).update(state=RunState.CANCELLED)
    expect(page.locator("ul.legend")).to_contain_text("cancelled")
    assert cells.count() == 504, "They stay while the page is refreshed."

    page.goto(f"{live_server.url}/runs/{site.runs['pricing'].pk}/")
    expect(page.locator(".chart svg.main-svg").first).to_be_visible()
    for part in ("#run-live .figures dd", ".chart-panel", ".notes"):
        box = page.locator(part).first.bounding_box()
        assert box["y"] + box["height"] <= 900, part
