"""Two agents are compared in stages, from the launch form to the answer."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.forms import tick_only

pytestmark = [pytest.mark.browser]

LAUNCH = re.compile(r"^Launch \d+ runs?$")


def test_a_comparison_is_launched_in_stages_and_stops_once_decided(page, site):
    page.goto(f"{site.address}/experiments/new/?preset=quick")
    fields = page.locator("#comparison .form-row")
    expect(fields).to_be_hidden()
    tick_only(page, ["Random", "Constant prices"])
    for name in ("Procurement", "Scheduling"):
        page.locator("label.chip", has=page.get_by_role("checkbox", name=name, exact=True, checked=True)).click()
    expect(fields).to_be_visible()
    page.get_by_label("Difference to find, points").fill("100")
    page.get_by_label("Periods").fill("5")
    expect(page.locator("#comparison-plan")).to_contain_text("too few runs have finished on pricing BASIC")
    page.get_by_label("Seeds", exact=True).fill("0-11")
    page.get_by_role("button", name="Use stages 8, 10, 12").click()
    expect(page.get_by_label("Stages", exact=True)).to_have_value("8, 10, 12")
    page.get_by_label("Stages", exact=True).fill("4, 8, 12")
    expect(page.locator("#comparison-plan")).to_contain_text("After 4 instances no difference can stop the experiment")
    expect(page.locator("#preview")).to_contain_text("8, 16, 24 runs")
    page.get_by_role("button", name=LAUNCH).click()
    page.wait_for_url(re.compile(r"/experiments/\d+/$"))
    expect(page.locator("#staged-sentence")).to_contain_text("Decided after 8 of 12 instances")
    expect(page.locator("#staged-sentence")).to_contain_text("8 runs were not played")
    page.get_by_role("link", name="Launch the other seeds, 8-11").click()
    expect(page.get_by_label("Seeds", exact=True)).to_have_value("8-11")
    # Finished runs give the spread for the next plan.
    tick_only(page, ["Random", "Constant prices"])
    page.get_by_label("Difference to find, points").fill("30")
    expect(page.locator("#comparison-plan")).to_contain_text("these two agents on 8 instances")
    page.get_by_role("button", name=re.compile("^Use seeds 8-")).click()
    expect(page.get_by_label("Seeds", exact=True)).not_to_have_value("8-11")


def test_a_late_preview_does_not_nest_forms_while_stages_are_filled_in(page, site):
    """It takes the button that was clicked off the page. A form inside the form would take its fields."""
    page.goto(f"{site.address}/experiments/new/?preset=quick")
    tick_only(page, ["Random", "Constant prices"])
    for name in ("Procurement", "Scheduling"):
        page.locator("label.chip", has=page.get_by_role("checkbox", name=name, exact=True, checked=True)).click()
    page.get_by_label("Difference to find, points").fill("100")
    page.get_by_label("Seeds", exact=True).fill("0-11")
    button = page.get_by_role("button", name="Use stages 8, 10, 12")
    button.wait_for()
    held = []
    page.route("**/experiments/new/fill/", lambda route: held.append(route))
    button.click()
    with page.expect_response("**/experiments/new/preview/"):
        page.get_by_label("Periods").fill("5")
    expect(button).to_be_attached()
    held[0].continue_()
    expect(page.get_by_label("Stages", exact=True)).to_have_value("8, 10, 12")
    expect(page.locator("form#launch")).to_have_count(1)
    with page.expect_response("**/experiments/new/preview/") as answer:
        page.get_by_label("Periods").fill("6")
    assert answer.value.ok
