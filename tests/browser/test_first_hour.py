"""What a newcomer does in the first hour, by clicking."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

WIDE, NARROW = {"width": 1440, "height": 900}, {"width": 390, "height": 844}


def add_house_model(page, site, stub, name="House model", key="sk-house-browser-0001"):
    """An endpoint and an agent on it, entered on the Agents page."""
    page.goto(f"{site.address}/agents/endpoints/new/")
    page.get_by_label("Name", exact=True).fill(f"{name} server")
    page.get_by_label("Base URL").fill(stub.base_url("openai"))
    page.get_by_label("Key", exact=True).fill(key)
    page.locator("main button[type=submit]").click()
    page.goto(f"{site.address}/agents/new/")
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Endpoint").select_option(label=f"{name} server")
    page.get_by_label("Model id").fill("house-1")
    page.locator("main button[type=submit]").click()


def set_chip(page, name: str, chosen: bool) -> None:
    chip = page.locator("label.chip", has=page.get_by_role("checkbox", name=name, exact=True))
    if chip.locator("input").is_checked() != chosen:
        chip.click()


def tick_only(page, agents: list[str]) -> None:
    for button in page.get_by_role("button", name="none", exact=True).all():
        button.click()
    for agent in agents:
        page.get_by_role("checkbox", name=re.compile(rf"^{agent}")).check()


def launch(page, site, agents: list[str], *, environments: list[str], periods: int = 100) -> None:
    page.goto(f"{site.address}/experiments/new/")
    for name in ("Procurement", "Scheduling", "Pricing"):
        set_chip(page, name, name in environments)
    page.get_by_label("Seeds").fill("0")
    page.get_by_label("Periods").fill(str(periods))
    tick_only(page, agents)
    button = page.get_by_role("button", name=re.compile(r"^Launch \d+ runs?$"))
    runs = len(agents) * len(environments)
    expect(button).to_have_text(f"Launch {runs} run{'s' if runs > 1 else ''}")
    button.click()
    page.wait_for_url(re.compile(r"/experiments/\d+/$"))


def test_a_newcomer_launches_watches_reads_and_compares(page, site, stub):
    add_house_model(page, site, stub)
    launch(page, site, ["Random", "House model"], environments=["Pricing"])
    expect(page.locator(".facts .state.finished")).to_be_visible(timeout=90_000)
    page.locator("a.cell").last.click()
    page.wait_for_url(re.compile(r"/runs/\d+/"))
    expect(page.locator(".chart svg.main-svg").first).to_be_visible()
    title = page.locator("#period-title")
    before = title.inner_text()
    page.locator("body").press("k")
    expect(title).not_to_have_text(before)
    page.locator("body").press("j")
    expect(title).to_have_text(before)
    expect(page).to_have_url(re.compile(r"/runs/\d+/periods/\d+/"))
    page.locator("#tab-transcript").click()
    expect(page.locator("#period")).to_contain_text("get_previous_pricing_data")
    expect(page.locator("#period")).to_contain_text("Your job is to make price-setting decisions")
    page.get_by_role("link", name="Leaderboard").click()
    expect(page.get_by_role("row", name=re.compile("House model"))).to_be_visible()
    expect(page.get_by_role("row", name=re.compile(r"GPT-5 published"))).to_be_visible()


def test_the_connection_test_makes_a_real_call_and_tells_what_came_back(page, site, stub):
    add_house_model(page, site, stub, name="Second house")
    row = page.get_by_role("row", name=re.compile("Second house"))
    row.get_by_role("button", name="Test connection").click()
    expect(page.locator(".test-result")).to_contain_text("It works: house-1 called the tool in")
    assert sum("report_sum" in str(body) for body in stub.bodies) == 1


def test_impossible_input_is_answered_beside_the_field_and_nothing_typed_is_lost(page, site):
    page.goto(f"{site.address}/experiments/new/")
    page.get_by_label("Seeds").fill("5-2")
    page.get_by_label("Periods").fill("0")
    page.get_by_label("Name", exact=True).fill("My careful name")
    expect(page.locator("#preview")).to_contain_text("The range 5-2 runs backwards; write 2-5.")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The range 5-2 runs backwards; write 2-5.").first).to_be_visible()
    expect(page.get_by_label("Seeds")).to_have_value("5-2")
    expect(page.get_by_label("Periods")).to_have_value("0")
    expect(page.get_by_label("Name", exact=True)).to_have_value("My careful name")


def test_an_endpoint_that_does_not_answer_is_told_on_the_experiment_page(page, site, stub):
    class Nobody:
        def base_url(self, wire):
            return "http://127.0.0.1:9/v1"

    add_house_model(page, site, Nobody(), name="Silent house")
    launch(page, site, ["Silent house"], environments=["Pricing"], periods=2)
    expect(page.locator("main")).to_contain_text("127.0.0.1:9", timeout=20_000)
    expect(page.locator("main")).to_contain_text("Waiting")


PAGES = ["/", "/experiments/", "/experiments/1/", "/experiments/new/", "/runs/1/", "/runs/20/periods/3/?tab=transcript"]
PAGES += ["/spend/", "/ledger/", "/experiments/1/ledger/"]
PAGES += ["/runs/13/", "/runs/1/notes/", "/leaderboard/", "/litmus/", "/agents/"]


@pytest.mark.parametrize(("size", "theme"), [(WIDE, "light"), (NARROW, "dark")], ids=["wide", "narrow"])
def test_every_page_fits_its_width_and_complains_of_nothing(page, site, size, theme):
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size(size)
    for path in PAGES:
        page.goto(f"{site.address}{path}")
        page.wait_for_load_state("networkidle")
        beyond = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert beyond <= 0, path
        assert page.locator("h1").count() == 1, path


def test_the_run_page_works_by_keyboard_alone(page, site):
    page.goto(f"{site.address}/runs/1/periods/0/")
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to")).to_be_focused()
    page.locator("body").press("ArrowRight")
    expect(page.locator("#period-title")).to_contain_text("Period 1")
    page.locator("#tab-raw").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#period")).to_contain_text('"action"')
