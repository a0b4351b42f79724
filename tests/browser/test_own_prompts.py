"""An own prompt is written in the editor, launched, and marked on the leaderboard."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.forms import tick_only

pytestmark = pytest.mark.browser

REFUSED = "Failed to load resource: the server responded with a status of 422 (Unprocessable Entity)"


def test_an_own_prompt_is_written_launched_and_appears_as_a_marked_row(page, site, complaints):
    page.goto(f"{site.address}/experiments/")
    page.locator("main summary", has_text="More").click()
    page.get_by_role("link", name="Prompts", exact=True).click()
    page.get_by_role("link", name=re.compile("Write your own from main of Pricing")).click()
    preview = page.locator("#prompt-preview")
    expect(preview).to_contain_text("Every text is as in the built-in prompt.")

    # What is typed is shown at once, with what is wrong with it beside the field.
    first = page.get_by_label("First prompt")
    first.fill("Set the prices.")
    expect(page.get_by_text("The placeholder {upper_bound_price} is missing")).to_be_visible()
    page.get_by_label("Name", exact=True).fill("Concise")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("The placeholder {upper_bound_price} is missing")).to_be_visible()
    expect(first).to_have_value("Set the prices.")
    # Chromium logs the answer to a form that is refused.
    assert [text for text in complaints if not text.startswith("htmx:send")] == [REFUSED]
    complaints.clear()
    first.fill("Set the prices, never above {upper_bound_price}.")
    expect(preview).to_contain_text(re.compile(r"Set the prices, never above [\d.]+\d\."))
    expect(preview.locator("del").first).to_be_visible()
    expect(preview.locator("ins").first).to_be_visible()
    told = preview.get_by_text("Set the prices, never above").last.inner_text()
    page.get_by_label("seed").fill("3")
    expect(preview.get_by_text("Set the prices, never above").last).not_to_have_text(told)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Concise")).to_be_visible()

    page.get_by_role("link", name="Launch with it").click()
    chip = page.get_by_role("checkbox", name=re.compile(r"^Concise"))
    expect(chip).to_be_checked()
    page.locator("label.chip", has=page.get_by_role("checkbox", name="Pricing", exact=True)).click()
    page.locator("label.chip", has=page.get_by_role("checkbox", name="Scheduling", exact=True)).click()
    expect(page.locator("#preview")).to_contain_text("The chosen environments have no variant 'main+concise'.")
    expect(page.locator("label.chip", has=chip)).to_be_visible()
    page.locator("label.chip", has=page.get_by_role("checkbox", name="Scheduling", exact=True)).click()
    page.locator("label.chip", has=page.get_by_role("checkbox", name="Pricing", exact=True)).click()
    page.get_by_label("Seeds").fill("0")
    tick_only(page, ["Random"])
    page.get_by_role("button", name="Launch 1 run").click()
    page.wait_for_url(re.compile(r"/experiments/\d+/$"))
    expect(page.locator(".facts .state.finished")).to_be_visible()
    expect(page.locator("main")).to_contain_text("own prompt Concise, not the paper's")

    page.goto(f"{site.address}/prompts/")
    page.get_by_role("link", name="Concise").click()
    expect(page.get_by_label("System prompt")).not_to_be_editable()
    page.get_by_role("link", name="Scores").click()
    row = page.get_by_role("row", name=re.compile("Random"))
    expect(row).to_contain_text("own prompt, not the paper's")
    expect(page.locator(".page-head .facts")).to_contain_text("Concise (own prompt, not the paper's)")
    expect(page.get_by_text("published", exact=True)).to_have_count(0)
    page.locator(".removable a", has_text="Concise (own prompt, not the paper's)").click()
    expect(page.get_by_text("own prompt, not the paper's", exact=True)).to_have_count(0)
