"""What forms, keys and unreachable endpoints do on a site in use."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.forms import add_house_model, launch_pricing

pytestmark = pytest.mark.browser


def test_invalid_input_is_explained_and_typed_values_are_kept(page, site):
    page.goto(f"{site.address}/experiments/new/")
    typed = {"Seeds": "5-2", "Periods": "0", "Name": "My careful name"}
    for label, value in typed.items():
        page.get_by_label(label, exact=label == "Name").fill(value)
    expect(page.locator("#preview")).to_contain_text("The range 5-2 runs backwards; write 2-5.")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The range 5-2 runs backwards; write 2-5.").first).to_be_visible()
    for label, value in typed.items():
        expect(page.get_by_label(label, exact=label == "Name")).to_have_value(value)


def test_the_experiment_page_reports_an_unreachable_endpoint(page, site):
    add_house_model(page, site, "http://127.0.0.1:9/v1", "Silent house")
    launch_pricing(page, site, ["Silent house"], "Launch 1 run", periods=2)
    expect(page.locator("main")).to_contain_text("127.0.0.1:9")
    expect(page.locator("main")).to_contain_text("Queued")


def test_failed_parts_and_failed_requests_are_reported(page, site, complaints):
    page.route("**/news/", lambda route: route.abort())
    page.goto(f"{site.address}/")
    expect(page.locator("#home-news")).to_contain_text("The server did not answer.")
    expect(page.get_by_role("heading", name="Latest experiments")).to_be_visible()
    page.goto(f"{site.address}/experiments/")
    page.route("**/experiments/?*", lambda route: route.fulfill(status=500))
    page.get_by_role("searchbox").first.fill("demo")
    failure = page.get_by_role("alert")
    expect(failure).to_have_text("The server answered with an error (500). Reload the page and try again.")
    page.unroute("**/experiments/?*")
    page.get_by_role("searchbox").first.fill("baseline")
    expect(failure).to_be_hidden()
    complaints.clear()


def test_the_run_page_works_with_the_keyboard_only(page, site):
    page.goto(f"{site.address}/runs/1/periods/0/")
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to")).to_be_focused()
    page.locator("body").press("ArrowRight")
    expect(page.locator("#period-title")).to_contain_text("Period 1")
    page.locator("#tab-raw").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#period")).to_contain_text('"action"')


def test_the_command_palette_reaches_every_destination_by_keyboard(page, site):
    page.goto(f"{site.address}/agents/")
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Words of a name")
    expect(field).to_be_focused()
    expect(page.get_by_role("option", name="Home Page", exact=True)).to_have_attribute("aria-selected", "true")
    page.keyboard.type("demo baseline")
    found = page.get_by_role("option", name="Demo: every baseline")
    expect(found).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(field).to_be_hidden()
    page.keyboard.press("/")
    page.keyboard.type("webhooks")
    expect(page.get_by_role("option", name=re.compile("Webhooks")).first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/docs/webhooks/")


def test_enter_in_the_command_palette_waits_for_the_typed_query(page, site):
    page.goto(f"{site.address}/agents/")
    page.keyboard.press("/")
    expect(page.get_by_role("option", name="Home Page", exact=True)).to_have_attribute("aria-selected", "true")
    page.keyboard.type("recently deleted")
    page.keyboard.press("Enter")
    page.wait_for_url("**/deleted/")
