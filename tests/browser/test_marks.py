"""A term opens its definition, and the tabs stay in sight on a phone."""

import pytest

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("width", [1440, 390])
def test_a_term_opens_its_definition_by_keyboard_and_closes_with_escape(page, site, width):
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{site.address}/leaderboard/")
    page.locator(".board thead").wait_for()
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.term')"):
            break
    term = page.locator(".term:focus")
    address = term.get_attribute("href")
    assert term.evaluate("element => getComputedStyle(element).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    definition = page.locator("#definition:popover-open")
    definition.wait_for()
    assert definition.get_by_role("heading").inner_text() and definition.locator(".prose > *").count() in (1, 2)
    box = definition.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= width and box["y"] >= 0 and box["y"] + box["height"] <= 800
    assert page.evaluate("document.activeElement.id") == "definition"
    page.keyboard.press("Escape")
    definition.wait_for(state="detached")
    assert page.evaluate("document.activeElement.getAttribute('href')") == address
    page.keyboard.press("Enter")
    definition.get_by_role("link", name="More in").click()
    page.wait_for_url(f"**{address}")
    # The heading is below the page's own header and above the end of the window.
    assert 0 <= page.locator(":target").bounding_box()["y"] < 800
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_an_old_address_of_the_methodology_leads_to_the_page_of_its_section(page, site):
    page.goto(f"{site.address}/methodology/#slope")
    page.wait_for_url("**/methodology/scores-over-time/#slope")
    assert page.locator(":target").inner_text() == "Slope"


def test_without_scripts_a_term_is_a_link_and_the_list_has_the_old_anchors(browser, site, page):
    plain = browser.new_context(java_script_enabled=False).new_page()
    plain.goto(f"{site.address}/methodology/#slope")
    assert plain.locator(":target > a").get_attribute("href") == "/methodology/scores-over-time/#slope"


def test_the_tabs_scroll_on_a_phone_and_show_the_present_one(page, site):
    page.set_viewport_size({"width": 390, "height": 800})
    for address, last in (("/search/", "Search"), ("/organization/audit/", "Audit log")):
        page.goto(site.address + address)
        tab = page.locator(".section-tabs > nav > [aria-current]")
        assert tab.inner_text() == last
        box, frame = tab.bounding_box(), page.locator(".section-tabs > nav").bounding_box()
        assert frame["x"] <= box["x"] and box["x"] + box["width"] <= frame["x"] + frame["width"]
        assert frame["y"] + frame["height"] <= page.locator("h1").bounding_box()["y"]
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
