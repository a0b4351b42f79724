"""Eleven jobs of a newcomer on a site that bin/up has just started; the twelfth is to do them without a mouse.

bin/test tests/browser/test_twelve_jobs.py -s prints the clicks or keys of each job, and its seconds.
"""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OVERFLOW, TURN
from tests.browser.hands import Keyboard, Mouse
from tests.data_folders import ROOT, copy_of, new_site
from tests.running_site import demo_site, up
from tests.waiting import patience

pytestmark = [pytest.mark.browser, pytest.mark.long]

WAYS = {
    "mouse": (Mouse, {"width": 1440, "height": 900}, new_site),
    "keyboard": (Keyboard, {"width": 1440, "height": 900}, demo_site),
    # A window of 1440 by 900 pixels that shows everything twice as large.
    "zoomed": (Mouse, {"width": 720, "height": 450}, demo_site),
}
RUN, EXPERIMENT = re.compile(r"/runs/\d+/"), re.compile(r"/experiments/\d+/$")


@pytest.mark.parametrize("way", WAYS)
def test_a_newcomer_does_every_job(browser, tmp_path, stub, way):
    kind, size, folder = WAYS[way]
    copy_of(folder, tmp_path)
    with up(tmp_path, ROOT, {}) as (address, log):
        known = tmp_path / "password"
        password = known.read_text() if known.exists() else re.search(r"password\s+(\S+)", log.read_text())[1]
        page = browser.new_context(viewport=size, accept_downloads=True).new_page()
        hand = kind(page)
        try:
            understand(hand, page, address, password)
            add_an_endpoint(hand, page, stub.base_url("openai"))
            launch_from_a_preset(hand, page)
            follow_pause_raise_resume(hand, page)
            find_the_change(hand, page)
            compare_two_agents(hand, page)
            read_the_pareto_chart(hand, page)
            share_a_leaderboard(hand, page, browser)
            download_data(hand, page)
            launch_again_from_a_file(hand, page, tmp_path)
            find_a_run_by_its_notes(hand, page)
            see_that_the_first_steps_are_done(page)
        finally:
            for job, acts in hand.jobs.items():
                print(f"{way:10} {job:44} {acts:4} acts")


def go(hand, page, name):
    hand.press(page.get_by_role("navigation", name="Main").get_by_role("link", name=name))


def fits(page):
    assert page.evaluate(OVERFLOW) <= 0, page.url


def understand(hand, page, address, password):
    with hand.job("understand what it is"):
        page.goto(address)
        expect(page.get_by_text("AI agents play economic games")).to_be_visible()
        hand.write(page.get_by_label("User name or e-mail"), "owner")
        hand.write(page.get_by_label("Password", exact=True), password)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="First steps")).to_be_visible()
        # While the demo is played, the first steps lead to it.
        hand.press(page.get_by_role("link", name=re.compile("Open a finished run|Watch an experiment")))
        if "/experiments/" in page.url:
            cell = page.locator("a.cell", has_text=re.compile(r"\d")).first
            expect(cell).to_be_visible(timeout=1000 * patience(300))
            hand.press(cell)
        page.wait_for_url(RUN)
        expect(page.locator(".js-plotly-plot").first).to_be_visible()
        fits(page)


def add_an_endpoint(hand, page, base_url):
    with hand.job("add an endpoint and an agent, test it"):
        go(hand, page, "Agents")
        hand.press(page.get_by_role("link", name="Add an endpoint"))
        hand.write(page.get_by_label("Name", exact=True), "House server")
        hand.write(page.get_by_label("Base URL"), base_url)
        hand.write(page.get_by_label("Key", exact=True), "sk-house-browser-0001")
        hand.press(page.locator("main button[type=submit]"))
        expect(page.get_by_label("Endpoint").locator("option:checked")).to_have_text(re.compile("House server"))
        hand.write(page.get_by_label("Name", exact=True), "House model")
        hand.write(page.get_by_label("Model id"), "house-1")
        hand.write(page.get_by_label("Input price", exact=False).first, "20")
        hand.write(page.get_by_label("Output price"), "20")
        hand.press(page.locator("main button[type=submit]"))
        hand.press(page.get_by_role("button", name="Test connection"))
        expect(page.locator(".test-result")).to_contain_text("It works: house-1 called the tools in")
        fits(page)


def launch_from_a_preset(hand, page):
    with hand.job("launch from a preset"):
        go(hand, page, "Home")
        hand.press(page.get_by_role("link", name=re.compile("Launch")).first)
        with page.expect_response("**/experiments/new/fill/"):
            hand.press(page.get_by_role("button", name=re.compile("^Quick look")))
        expect(page.get_by_role("button", name=re.compile("^Quick look"))).to_have_attribute("aria-pressed", "true")
        for button in page.get_by_role("button", name="Choose none").all():
            hand.press(button)
        hand.tick(page.get_by_role("checkbox", name="House model"))
        hand.write(page.get_by_label("Budget cap, $", exact=True), "3")
        expect(page.locator("#preview")).to_contain_text("$")
        fits(page)
        hand.press(page.get_by_role("button", name="Launch 9 runs"))
        page.wait_for_url(EXPERIMENT)


def follow_pause_raise_resume(hand, page):
    facts = page.locator(".facts")
    with hand.job("follow, pause, resume, raise the budget"):
        expect(page.locator("main")).to_contain_text(re.compile(r"period|playing|Running"))
        hand.press(page.locator("#act-pause"))
        expect(page.locator("#act-resume")).to_be_visible()
        hand.press(page.locator("#act-resume"))
        expect(page.locator("main")).to_contain_text("Raise the budget to go on.")
        hand.press(page.get_by_role("button", name="Change the budget"))
        hand.write(page.get_by_label("Budget cap, $", exact=True), "1000")
        hand.press(page.locator("#budget-dialog button[type=submit]"))
        expect(facts.locator(".state.finished")).to_be_visible(timeout=1000 * patience(300))
        fits(page)


def find_the_change(hand, page):
    with hand.job("find where an agent changed, and read why"):
        hand.press(page.locator(".matrix").last.locator("a.cell").first)
        page.wait_for_url(RUN)
        hand.press(page.locator(".findings .found-line").get_by_role("link", name="Changed course"))
        page.wait_for_url(re.compile(rf"/periods/{TURN}/"))
        expect(page.locator("#period")).to_contain_text("from now on I charge less than half")
        fits(page)


def compare_two_agents(hand, page):
    with hand.job("compare two agents"):
        go(hand, page, "Results")
        hand.tick(page.get_by_role("checkbox", name="House model"))
        hand.tick(page.get_by_role("checkbox", name="Random"))
        hand.press(page.get_by_role("button", name="Compare the ticked agents"))
        answer = page.get_by_role("region", name="Answers")
        expect(answer).to_contain_text("too few instances for a verdict")
        fits(page)


def read_the_pareto_chart(hand, page):
    go(hand, page, "Home")
    expect(page.get_by_text("Nothing is running.")).to_be_visible(timeout=1000 * patience(300))
    with hand.job("read the Pareto chart"):
        chart = page.locator('[data-figure*="pareto"]')
        chart.scroll_into_view_if_needed()
        expect(chart.locator(".js-plotly-plot")).to_be_visible()
        expect(chart).to_contain_text("much revenue, equal pay: out of reach")
        fits(page)


def share_a_leaderboard(hand, page, browser):
    with hand.job("share a leaderboard with a colleague and a stranger"):
        go(hand, page, "Results")
        hand.press(page.get_by_role("link", name="Save", exact=True))
        hand.write(page.get_by_label("Name", exact=True), "Our leaderboard")
        hand.press(page.locator("main button[type=submit]"))
        expect(page.get_by_role("heading", name="Our leaderboard")).to_be_visible()
        hand.press(page.locator("#act-share"))
        hand.press(page.get_by_role("button", name="Create link"))
        link = page.locator("#share-address").inner_text()
        leaderboard = page.url
        fits(page)
        stranger = browser.new_context().new_page()
        assert stranger.goto(link).ok
        expect(stranger.get_by_role("heading", name="Our leaderboard")).to_be_visible()
        hand.press(page.get_by_role("link", name="invite a colleague"))
        hand.write(page.get_by_label("E-mail"), "colleague@example.org")
        hand.press(page.get_by_role("button", name="Create invitation"))
        invitation = page.locator("code", has_text="/invitations/").inner_text()
        colleague = browser.new_context().new_page()
        colleague.goto(invitation)
        colleague.get_by_label("User name").fill("colleague")
        colleague.get_by_label("Password", exact=True).fill("a long enough password 7")
        colleague.get_by_role("button", name="Create account and join").click()
        colleague.get_by_role("heading", name="Home").wait_for()
        colleague.goto(leaderboard)
        expect(colleague.get_by_role("heading", name="Our leaderboard")).to_be_visible()


def download_data(hand, page):
    with hand.job("download data"):
        go(hand, page, "Results")
        hand.press(page.locator("summary", has_text="Export").first)
        with page.expect_download() as download:
            hand.press(page.get_by_role("link", name="CSV").first)
        assert "House model" in download.value.path().read_text()


def launch_again_from_a_file(hand, page, folder):
    with hand.job("launch the same from a file"):
        go(hand, page, "Experiments")
        hand.press(page.get_by_role("link", name="Procurement, scheduling and pricing").first)
        page.wait_for_url(EXPERIMENT)
        hand.press(page.get_by_text("Launch again: CLI command"))
        with page.expect_download() as download:
            hand.press(page.get_by_role("link", name="Download the file"))
        file = folder / "launch.yaml"
        download.value.save_as(file)
        hand.press(page.locator(".section-tabs").get_by_role("link", name="Launch"))
        hand.press(page.locator("summary", has_text="From a file"))
        page.locator("#launch-file").set_input_files(file)
        hand.press(page.get_by_role("button", name="Launch 9 runs"))
        page.wait_for_url(EXPERIMENT)


def find_a_run_by_its_notes(hand, page):
    with hand.job("find a run by the words of its notes"):
        page.locator("body").press("/")
        page.keyboard.type("sell little")
        expect(page.get_by_role("option", name=re.compile("Search"))).to_be_visible()
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
        hand.acts += 4
        hand.press(page.locator("main a[href*='/periods/']").first)
        page.wait_for_url(re.compile(r"/periods/\d+/"))
        expect(page.locator("#period")).to_contain_text("sell little")


def see_that_the_first_steps_are_done(page):
    page.goto(page.url.split("/runs/")[0])
    expect(page.get_by_role("heading", name="Home")).to_be_visible()
    expect(page.get_by_role("heading", name="First steps")).to_be_hidden()
