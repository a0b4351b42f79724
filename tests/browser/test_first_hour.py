"""What a newcomer does in the first hour, by clicking."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

WIDE, NARROW = {"width": 1440, "height": 900}, {"width": 390, "height": 844}


def add_house_model(page, site, base_url, name="House model"):
    """Add an endpoint and an agent on it on the Agents page."""
    page.goto(f"{site.address}/agents/endpoints/new/")
    page.get_by_label("Name", exact=True).fill(f"{name} server")
    page.get_by_label("Base URL").fill(base_url)
    page.get_by_label("Key", exact=True).fill("sk-house-browser-0001")
    page.locator("main button[type=submit]").click()
    page.goto(f"{site.address}/agents/new/")
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Endpoint").select_option(label=f"{name} server")
    page.get_by_label("Model id").fill("house-1")
    page.locator("main button[type=submit]").click()


def tick_only(page, agents):
    for button in page.get_by_role("button", name="Choose none").all():
        button.click()
    for agent in agents:
        page.get_by_role("checkbox", name=re.compile(rf"^{agent}")).check()


def launch_pricing(page, site, agents, button, periods=100):
    page.goto(f"{site.address}/experiments/new/")
    for name in ("Procurement", "Scheduling"):
        page.locator("label.chip", has=page.get_by_role("checkbox", name=name, exact=True, checked=True)).click()
    page.get_by_label("Seeds").fill("0")
    page.get_by_label("Periods").fill(str(periods))
    tick_only(page, agents)
    page.get_by_role("button", name=button, exact=True).click()
    page.wait_for_url(re.compile(r"/experiments/\d+/$"))


def test_a_newcomer_launches_watches_reads_and_compares(page, site, stub):
    add_house_model(page, site, stub.base_url("openai"))
    launch_pricing(page, site, ["Random", "House model"], "Launch 2 runs")
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
    add_house_model(page, site, stub.base_url("openai"), "Second house")
    row = page.get_by_role("row", name=re.compile("Second house"))
    row.get_by_role("button", name="Test connection").click()
    expect(page.locator(".test-result")).to_contain_text("It works: house-1 called the tool in")
    assert sum("report_sum" in str(body) for body in stub.bodies) == 1


def test_invalid_input_is_answered_and_nothing_typed_is_lost(page, site):
    page.goto(f"{site.address}/experiments/new/")
    typed = {"Seeds": "5-2", "Periods": "0", "Name": "My careful name"}
    for label, value in typed.items():
        page.get_by_label(label, exact=label == "Name").fill(value)
    expect(page.locator("#preview")).to_contain_text("The range 5-2 runs backwards; write 2-5.")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The range 5-2 runs backwards; write 2-5.").first).to_be_visible()
    for label, value in typed.items():
        expect(page.get_by_label(label, exact=label == "Name")).to_have_value(value)


def test_the_experiment_page_names_an_endpoint_that_does_not_answer(page, site):
    add_house_model(page, site, "http://127.0.0.1:9/v1", "Silent house")
    launch_pricing(page, site, ["Silent house"], "Launch 1 run", periods=2)
    expect(page.locator("main")).to_contain_text("127.0.0.1:9")
    expect(page.locator("main")).to_contain_text("Waiting")


PAGES = ["/", "/experiments/", "/experiments/1/", "/experiments/new/", "/runs/1/", "/runs/20/periods/3/?tab=transcript"]
PAGES += ["/spend/", "/ledger/", "/experiments/1/ledger/", "/starred/", "/mentions/", "/tags/"]
PAGES += ["/runs/13/", "/runs/1/notes/", "/runs/1/periods/0/?tab=comments", "/leaderboard/", "/litmus/", "/agents/"]


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


def test_the_command_palette_leads_anywhere_by_keys(page, site):
    page.goto(f"{site.address}/agents/")
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Words of a name")
    expect(field).to_be_focused()
    expect(page.get_by_role("option", name="Home")).to_have_attribute("aria-selected", "true")
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
