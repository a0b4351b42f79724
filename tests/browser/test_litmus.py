"""Each litmus test is launched from its preset, and each of its charts is drawn."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.forms import tick_only

pytestmark = [pytest.mark.browser, pytest.mark.long]

QUICK = {
    "patience-quick": ["Interest rate", "Random"],
    "equality-quick": ["Greedy efficiency", "Greedy equality"],
    "collusion-quick": ["Nash price", "Collusive price"],
}
TESTS = ("Efficiency or equality", "Collusion", "Patience")
LAUNCHED = {}  # Address of each preset's experiment, once it was launched.


def expect_all_charts(page):
    for chart in page.locator(".chart[data-figure]").all():
        chart.scroll_into_view_if_needed()
        expect(chart.locator("svg.main-svg").first).to_be_visible()


@pytest.mark.parametrize("preset", QUICK)
def test_a_complete_litmus_test_is_launched_from_a_form(page, site, preset):
    page.goto(f"{site.address}/experiments/new/?preset={preset}")
    tick_only(page, QUICK[preset])
    expect(page.locator("#preview")).to_contain_text(re.compile(r"Runs\s*\d"))
    page.get_by_role("button", name=re.compile(r"^Launch \d+ runs?$")).click()
    page.wait_for_url(re.compile(r"/experiments/\d+/$"))
    LAUNCHED[preset] = page.url
    expect(page.locator(".facts .state.finished")).to_be_visible()
    expect(page.locator("#litmus")).to_contain_text("Competency")
    for agent in QUICK[preset]:
        expect(page.locator("#litmus").get_by_role("row", name=re.compile(agent))).to_be_visible()


def test_every_chart_of_each_litmus_test_is_drawn(page, site):
    assert LAUNCHED.keys() == QUICK.keys()
    page.goto(f"{site.address}/litmus/")
    tests = page.get_by_role("navigation", name="Litmus test")
    for test in TESTS:
        if tests.locator("[aria-current]").inner_text() != test:
            tests.get_by_role("link", name=test).click()
        expect(tests.locator("[aria-current]")).to_have_text(test)
        assert page.locator(".chart[data-figure]").count() >= 1
        expect_all_charts(page)
        expect(page.get_by_role("row", name=re.compile("GPT-5 published"))).not_to_have_count(0)
        # The quick presets of the other tests are shorter than the paper's runs, so the filter leaves them out.
        if test == "Efficiency or equality":
            expect(page.get_by_role("row", name=re.compile("Greedy equality"))).not_to_have_count(0)


@pytest.mark.parametrize("preset", QUICK)
def test_the_runs_of_each_test_are_read_period_by_period(page, site, preset):
    page.goto(LAUNCHED[preset])
    page.locator("a.cell").first.click()
    page.wait_for_url(re.compile(r"/runs/\d+/"))
    expect_all_charts(page)
    page.locator("body").press("k")
    expect(page).to_have_url(re.compile(r"/periods/\d+/"))
    page.locator("#tab-transcript").click()
    expect(page.locator("#period")).to_contain_text(re.compile("Model|Baseline"))
