"""An agent's life by clicks: added, tested, edited, frozen by its first run, duplicated, archived and unarchived."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.forms import add_house_model, launch_pricing

pytestmark = pytest.mark.browser


def save(page):
    page.locator("main button[type=submit]").first.click()


def test_an_agent_is_edited_duplicated_archived_and_unarchived(page, site, stub, complaints):
    add_house_model(page, site, stub.base_url("openai"), "Cottage")
    page.get_by_role("button", name="Test connection").click()
    expect(page.locator(".test-result")).to_contain_text("It works: house-1 called the tools in")

    page.get_by_role("link", name="Edit", exact=True).click()
    page.get_by_label("Reasoning effort").select_option("low")
    page.get_by_label("Extra request parameters").fill('{"tools": []}')
    save(page)
    expect(page.get_by_text("tools is set by EconEvals")).to_be_visible()
    expect(page.get_by_label("Reasoning effort")).to_have_value("low")
    # The browser reports the status of a form with a mistake.
    assert all("422" in text for text in complaints)
    complaints.clear()
    page.get_by_label("Extra request parameters").fill('{"seed": 7}')
    page.get_by_label("Calls at once").fill("1")
    save(page)
    facts = page.locator(".page-head .facts")
    expect(facts).to_contain_text("reasoning effort low")
    expect(facts).to_contain_text('also sends {"seed": 7}')

    launch_pricing(page, site, ["Cottage"], "Launch 1 run", periods=2)
    expect(page.locator(".facts .state.finished")).to_be_visible()
    bodies = [body for body in stub.bodies if body.get("seed") == 7]
    assert bodies and all(body["reasoning_effort"] == "low" for body in bodies)

    page.goto(f"{site.address}/agents/cottage/")
    page.get_by_role("link", name="Edit", exact=True).click()
    expect(page.get_by_label("Model id")).to_be_disabled()
    page.get_by_label("Name", exact=True).fill("Old cottage")
    save(page)
    expect(page.get_by_role("heading", name="Old cottage")).to_be_visible()
    assert page.url.endswith("/agents/cottage/")

    page.get_by_role("link", name="Edit", exact=True).click()
    page.get_by_role("link", name="Duplicate").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("Old cottage 2")
    page.get_by_label("Reasoning effort").select_option("high")
    save(page)
    expect(page.get_by_role("heading", name="Old cottage 2")).to_be_visible()
    expect(facts).to_contain_text("reasoning effort high")

    page.locator("#agent-more").click()
    page.get_by_role("button", name="Archive", exact=True).click()
    expect(page.get_by_text("Archived Old cottage 2.")).to_be_visible()
    page.goto(f"{site.address}/experiments/new/")
    expect(page.get_by_role("checkbox", name=re.compile("^Old cottage"))).to_have_count(1)
    page.goto(f"{site.address}/agents/")
    page.get_by_text("1 archived agent").click()
    page.get_by_role("button", name="Unarchive Old cottage 2").click()
    page.locator("#agent-more").click()
    expect(page.get_by_role("button", name="Archive", exact=True)).to_be_visible()
    page.goto(f"{site.address}/experiments/new/")
    expect(page.get_by_role("checkbox", name=re.compile("^Old cottage"))).to_have_count(2)


def test_choosing_a_model_fills_in_its_release_date_and_list_price(page, site):
    page.goto(f"{site.address}/agents/new/")
    options = page.locator("#listed-models option")
    date = page.get_by_label("Release date of the model")
    expect(page.locator('#listed-models option[value="claude-sonnet-4-5"]')).to_have_count(1)
    page.get_by_label("Endpoint").select_option(label="OpenAI")
    expect(page.locator('#listed-models option[value="gpt-5-nano"]')).to_have_count(1)
    expect(options.filter(has_text="Claude")).to_have_count(0)
    page.get_by_label("Model id").fill("gpt-5-2025-08-07")
    page.keyboard.press("Tab")
    expect(page.get_by_text("List price of GPT-5")).to_be_visible()
    expect(date).to_have_value("2025-08-07")
    page.get_by_label("Model id").fill("house-1")
    page.keyboard.press("Tab")
    expect(date).to_have_value("")
    date.fill("2026-01-31")
    page.get_by_label("Model id").fill("o3-mini-2025-01-31")
    page.keyboard.press("Tab")
    expect(page.get_by_text("List price of o3")).to_be_visible()
    expect(date).to_have_value("2026-01-31")


def test_typed_values_survive_the_arrival_of_list_prices(page, site, stub):
    add_house_model(page, site, stub.base_url("openai"), "Mill")
    held = []
    page.route("**/agents/list-prices/*", lambda route: held.append(route))
    page.goto(f"{site.address}/agents/new/")
    page.get_by_label("Model id").fill("house-2")
    page.get_by_label("Input price", exact=False).first.fill("20")
    page.get_by_label("Output price").fill("30")
    page.get_by_label("Release date").fill("2026-03-01")
    page.wait_for_function("() => document.querySelector('.htmx-request')")
    with page.expect_response("**/agents/list-prices/*"):
        held.pop().continue_()
    expect(page.locator("#listed-prices")).to_contain_text("has no price for this model")
    for label, value in (("Input price", "20"), ("Output price", "30"), ("Release date", "2026-03-01")):
        expect(page.get_by_label(label).first).to_have_value(value)
