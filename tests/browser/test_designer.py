"""A design is saved, measured, launched and gets a marked leaderboard row."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.forms import tick_only

pytestmark = [pytest.mark.browser]

CHART = "#design-preview .chart"


def test_a_design_is_saved_launched_and_appears_as_a_marked_row(page, site, complaints):
    page.goto(f"{site.address}/instances/")
    page.get_by_role("link", name="New design").click()
    page.get_by_role("group", name="Environment").get_by_role("link", name="Pricing", exact=True).click()
    expect(page.locator(f"{CHART} svg.main-svg").first).to_be_visible()
    # A wrong setting gets its sentence, a right one a new figure; nothing that was typed is lost.
    page.get_by_label("Nests", exact=True).fill("3")
    expect(page.locator("#design-set_nests_error")).to_have_text("There cannot be more nests than products.")
    expect(page.locator("#design-preview")).to_contain_text("These settings give no instance.")
    page.get_by_label("Products", exact=True).fill("3")
    page.get_by_label("Nests", exact=True).fill("1")
    expect(page.locator(CHART)).to_have_attribute("data-figure", re.compile("set_products=3&set_nests=1"))
    expect(page.locator("#design-set_nests_error")).to_be_empty()
    expect(page.locator(f"{CHART} .chart-plot")).to_have_attribute("aria-label", re.compile("3 products"))
    page.get_by_label("Seed", exact=True).fill("4")
    expect(page.locator(CHART)).to_have_attribute("data-figure", re.compile("seed=4"))
    page.get_by_role("button", name="Save the design").click()
    expect(page.locator("#design-name_error")).to_have_text("Give the design a name.")
    # The browser reports the status of the page with the sentence.
    complaints[:] = [text for text in complaints if "status of 422" not in text]
    expect(page.get_by_label("Products", exact=True)).to_have_value("3")
    page.get_by_label("Name", exact=True).fill("Three goods")
    page.get_by_role("button", name="Save the design").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Three goods")
    measure_and_cancel(page)
    launch(page)
    check_the_leaderboard(page)


def measure_and_cancel(page):
    part = page.locator("#measurement")
    part.get_by_role("button", name="Measure its difficulty").click()
    expect(part.get_by_role("status")).to_have_text(re.compile(r"[2-9]\d of\s+100 games"))
    part.get_by_role("button", name="Cancel").click()
    expect(part).to_contain_text(re.compile(r"\d+ of 100 games were played"))
    expect(part.locator(".chart svg.main-svg").first).to_be_visible()
    expect(part.get_by_role("row", name=re.compile("Clairvoyant optimum"))).to_contain_text("100.0")


def launch(page):
    page.get_by_role("main").get_by_role("link", name="Launch", exact=True).click()
    expect(page.get_by_role("checkbox", name="Three goods, pricing")).to_be_checked()
    expect(page.get_by_role("checkbox", name="BASIC")).not_to_be_checked()
    tick_only(page, ["Random", "Constant prices"])
    page.get_by_label("Seeds", exact=True).fill("0-1")
    expect(page.locator("#preview")).to_contain_text("--difficulty CUSTOM+THREE-GOODS")
    page.wait_for_load_state("networkidle")
    page.get_by_role("button", name="Launch 4 runs").click()
    page.wait_for_url(re.compile(r"/experiments/\d+/$"))
    expect(page.locator(".facts .state.finished")).to_be_visible()
    page.wait_for_load_state("networkidle")


def check_the_leaderboard(page):
    page.locator("a.cell").first.click()
    page.get_by_role("link", name="instance", exact=True).click()
    expect(page.locator(".facts")).to_contain_text("Three goods, own design, not the paper's")
    expect(page.get_by_role("heading", name="Runs on this instance")).to_be_visible()
    expect(page.locator("#run-list tbody tr")).to_have_count(2)
    page.wait_for_load_state("networkidle")
    page.locator(".facts").get_by_role("link", name="Three goods").click()
    expect(page.locator("main")).to_contain_text("frozen, since runs use them")
    page.wait_for_load_state("networkidle")
    page.get_by_role("main").get_by_role("link", name="Leaderboard").click()
    heading = page.locator("thead th", has_text="Three goods")
    expect(heading).to_contain_text("own design, not the paper's")
    assert heading.evaluate("th => th === th.parentElement.lastElementChild")
    own = page.get_by_role("row", name=re.compile("Constant prices")).locator("td").last
    expect(own.get_by_role("link")).to_have_attribute("title", re.compile("^Mean .* over 2 instances"))
    published = page.locator("tbody tr", has=page.locator(".tag", has_text="published")).first
    expect(published.locator("td").last).to_have_text("–")
    page.wait_for_load_state("networkidle")


def test_any_instance_is_previewed_by_changing_the_form(page, site):
    page.goto(f"{site.address}/instances/preview/?environment=scheduling")
    expect(page.get_by_role("heading", name="Scheduling BASIC, seed 0")).to_be_visible()
    page.get_by_label("Difficulty").select_option("MEDIUM")
    expect(page.get_by_role("heading", name="Scheduling MEDIUM, seed 0")).to_be_visible()
    page.wait_for_load_state("networkidle")
    page.get_by_label("Environment").select_option(label="Patience versus impatience")
    expect(page.get_by_role("heading", name="Patience versus impatience STANDARD, seed 0")).to_be_visible()
    page.get_by_label("Difficulty").select_option(label="Custom settings")
    page.get_by_label("Repetitions").fill("0")
    page.keyboard.press("Tab")
    expect(page.locator("#problem-set_repetitions_error")).to_have_text("Repetitions must be between 1 and 100.")
    page.get_by_label("Repetitions").fill("2")
    page.keyboard.press("Tab")
    expect(page.get_by_role("heading", name="Patience versus impatience CUSTOM, seed 0")).to_be_visible()
    expect(page).to_have_url(re.compile("set_repetitions=2"))
    page.reload()
    expect(page.get_by_label("Repetitions")).to_have_value("2")
    expect(page.locator(".chart svg.main-svg").first).to_be_visible()
    page.wait_for_load_state("networkidle")
