"""An experiment is deleted and restored; columns and views of the run list are selected by keyboard on a phone."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.forms import launch_pricing

pytestmark = pytest.mark.browser
COLUMNS = ["Experiment", "Agent", "Instance", "State", "Findings", "Calls", "Tokens in, out", "Cost"]


def test_a_deletion_is_undone_from_the_message_and_from_the_list(page, site):
    launch_pricing(page, site, ["Random"], "Launch 1 run", periods=2)
    expect(page.locator(".facts .state.finished")).to_be_visible()
    address, name = page.url, page.get_by_role("heading", level=1).inner_text()

    def delete():
        page.locator("#act-more").click()
        page.get_by_role("button", name="Delete…").click()
        expect(page.get_by_role("dialog")).to_contain_text("It can be undone for a day.")
        page.get_by_role("button", name="Delete 1 run").click()
        expect(page.get_by_text(f"Deleted {name} with all its runs.")).to_be_visible()

    delete()
    assert page.request.get(address).status == 404
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text(f"The experiment {name} is back.")).to_be_visible()
    assert page.url == address

    delete()
    page.locator("main summary", has_text="More").click()
    page.get_by_role("link", name="Recently deleted").click()
    row = page.get_by_role("row").filter(has_text=name)
    expect(row).to_contain_text(re.compile(r"23 h 59 min|1 d"))
    row.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Keep").click()
    row.get_by_role("button", name="Undo").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


POLLS = """document.body.insertAdjacentHTML("beforeend",
  '<i id="polled" data-poll hx-get="/?polled" hx-trigger="every 2s" hx-swap="none"></i>'), htmx.process(polled)"""


def test_a_page_that_is_being_left_resumes_polling_after_ten_seconds(page, site):
    polls = []
    page.on("request", lambda request: polls.append(request) if request.url.endswith("?polled") else None)
    page.clock.install()
    page.goto(site.address)
    page.evaluate(POLLS)
    with page.expect_response("**/?polled"):
        page.clock.run_for(2500)
    polls.clear()
    page.evaluate("dispatchEvent(new Event('beforeunload'))")
    page.clock.run_for(9000)
    assert not polls
    with page.expect_response("**/?polled"):
        page.clock.run_for(4000)


def test_columns_and_views_are_selected_by_keyboard_on_a_phone(page, site):
    launch_pricing(page, site, ["Random"], "Launch 1 run", periods=2)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{site.address}/runs/?state=finished")
    page.get_by_text("Columns", exact=True).press("Enter")
    headings, hidden = page.locator("#run-list thead th"), COLUMNS[:1] + COLUMNS[2:]
    for left, name in enumerate(hidden):
        box = page.get_by_role("checkbox", name=name, exact=True)
        box.focus()
        page.keyboard.press("Space")
        expect(box).not_to_be_checked()
        expect(headings).to_have_count(10 - left)
    expect(page).to_have_url(re.compile("columns=agent&columns=score&columns=periods$"))
    page.keyboard.press("Escape")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    page.get_by_text("Views", exact=True).press("Enter")
    page.get_by_role("link", name="Save as a view…").press("Enter")
    page.get_by_label("Name", exact=True).fill("Finished, short")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Saved the view Finished, short.")).to_be_visible()
    page.goto(f"{site.address}/runs/")
    assert headings.count() > 4
    page.get_by_text("Views", exact=True).press("Enter")
    page.get_by_role("link", name="Finished, short", exact=True).press("Enter")
    expect(headings).to_have_count(4)
    expect(page.locator("select#state")).to_have_value("finished")
