"""The mark beside a number leads by keyboard to the paragraph that explains it."""

import pytest

pytestmark = pytest.mark.browser


def test_a_mark_is_reached_and_followed_by_keyboard(page, site):
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{site.address}/leaderboard/")
    page.locator(".board thead").wait_for()
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.explained')"):
            break
    mark = page.locator(".explained:focus")
    name = mark.get_attribute("aria-label")
    assert name.startswith("How it is computed: ")
    box = mark.bounding_box()
    assert box["width"] >= 24 and box["height"] >= 24
    assert mark.evaluate("element => getComputedStyle(element).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    page.wait_for_url("**/methodology/#*")
    heading = page.locator(":target")
    assert heading.inner_text() == name.removeprefix("How it is computed: ")
    # The heading is below the page's own header and above the end of the window.
    assert 0 <= heading.bounding_box()["y"] < 800
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_long_tables_of_a_guide_scroll_by_themselves_on_a_phone(page, site):
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{site.address}/docs/webhooks/")
    table = page.locator(".prose .scroll").first
    assert table.evaluate("box => box.scrollWidth > box.clientWidth")
    table.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.querySelector('.prose .scroll').scrollLeft > 0")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
