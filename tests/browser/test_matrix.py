"""The matrix of an experiment can be navigated with the keyboard."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_arrow_keys_walk_over_the_cells_and_enter_opens_a_run(page, site):
    page.goto(f"{site.address}/experiments/1/")
    first = page.locator(".matrix a.cell").first
    first.focus()
    tip = page.locator(".tip")
    expect(tip).to_contain_text(first.get_attribute("aria-label"))
    expect(tip.locator("polyline")).to_have_count(1)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    below = page.locator(".matrix tbody tr").nth(1).locator("a.cell").first
    expect(below).to_be_focused()
    expect(page.locator("#experiment-charts .chart-plot").first).to_have_attribute("role", "img")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{below.get_attribute('href')}" if below.count() else "**/runs/*/")
