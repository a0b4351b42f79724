"""Figures are in whole-page pictures and on paper without being scrolled to; a report opens offline; files of figures."""

import csv
import io
import json
import re

import pytest
from playwright.sync_api import expect

from tests.waiting import wait_until

pytestmark = [pytest.mark.browser]

PAGES = (
    "/leaderboard/",
    "/litmus/",
    "/runs/20/",
    "/compare/?agents=random&agents=optimum",
    "/trends/",
    "/experiments/1/",
)
SHOWN = "[...document.querySelectorAll('.chart[data-figure]')].filter((chart) => chart.checkVisibility())"
DRAWN = f"{SHOWN}.map((chart) => chart.querySelectorAll('.main-svg').length > 0)"
PRINTED = """() => addEventListener("beforeprint", () => {
  window.printed = SHOWN.map((chart) => {
    const svg = chart.querySelector(".main-svg");
    return svg && [svg.getAttribute("viewBox").split(" ")[2], svg.style.background];
  });
})""".replace("SHOWN", SHOWN)
LIGHT = ["680", "rgb(255, 255, 255)"]


def wait_until_drawn(page):
    wait_until(lambda: all(page.evaluate(DRAWN)), lambda: "a figure is blank", every=0.2)


@pytest.fixture
def dark(page):
    """A window so low that figures are below it, in the dark theme."""
    page.set_viewport_size({"width": 1280, "height": 300})
    page.emulate_media(color_scheme="dark")
    return page


@pytest.mark.parametrize("address", PAGES)
def test_no_figure_is_blank_in_a_whole_page_picture_or_on_paper(dark, site, address):
    dark.goto(site.address + address, wait_until="load")
    dark.evaluate(PRINTED)
    # Before anything below the window was loaded.
    assert dark.pdf(format="A4").startswith(b"%PDF")
    printed = dark.evaluate("window.printed")
    assert printed and printed == [LIGHT] * len(printed)
    # The look of the screen is back.
    assert not dark.evaluate("document.querySelector('.main-svg[viewBox]')")
    dark.goto(site.address + address)
    wait_until_drawn(dark)
    assert not dark.evaluate(
        "[...document.querySelectorAll('.main-svg')].some((one) => one.style.background.includes('255, 255'))"
    )


def test_a_figure_in_a_hidden_tab_is_drawn_when_it_becomes_visible(dark, site):
    dark.goto(f"{site.address}/trends/")
    wait_until_drawn(dark)
    dark.evaluate("""() => {
      const tab = document.createElement("div"), { figure } = document.querySelector(".chart").dataset;
      tab.id = "tab";
      tab.hidden = true;
      tab.innerHTML = `<div class="chart" data-figure="${figure}"></div>`;
      document.querySelector(".chart").closest(".panel").after(tab);
      document.dispatchEvent(new CustomEvent("htmx:afterSettle"));
    }""")
    dark.locator("#tab .chart-plot").wait_for(state="attached")
    assert dark.locator("#tab .main-svg").count() == 0
    dark.evaluate("document.getElementById('tab').hidden = false")
    expect(dark.locator("#tab .chart .main-svg").first).to_be_visible()


def test_figures_are_saved_as_files_by_keyboard(page, site):
    page.goto(f"{site.address}/leaderboard/")
    wait_until_drawn(page)
    found = {}
    for form in ("PNG", "SVG", "CSV", "JSON"):
        page.locator("#runs .chart-tools summary").focus()
        page.keyboard.press("Enter")
        button = page.get_by_role("button", name=f"Save the chart as {form}", exact=True)
        expect(button).to_be_visible()
        button.focus()
        with page.expect_download() as download:
            page.keyboard.press("Enter")
        assert download.value.suggested_filename == f"leaderboard-procurement-each-dot-is-one-run.{form.lower()}"
        found[form] = download.value.path().read_bytes()
    assert found["PNG"].startswith(b"\x89PNG") and b"Leaderboard: Procurement" in found["SVG"]
    figure = json.loads(found["JSON"])
    assert figure["data"] and "token:" not in found["JSON"].decode()
    head, *rows = csv.reader(io.StringIO(found["CSV"].decode()))
    assert head == ["trace", "x", "y", "z", "words"] and any("seed" in row[4] and "run" in row[4] for row in rows)


def test_a_table_is_exported_from_its_menu(page, site):
    page.goto(f"{site.address}/compare/?agents=random&agents=optimum")
    page.locator(".page-head summary", has_text="Export").focus()
    page.keyboard.press("Enter")
    with page.expect_download() as download:
        page.get_by_role("link", name="LaTeX (booktabs)").first.click()
    assert download.value.path().read_text().startswith(r"\begin{tabular}")


@pytest.mark.parametrize("address", ["/experiments/1/", "/compare/?agents=random&agents=optimum"])
def test_a_report_opens_without_a_network_and_shows_its_figures_and_tables(page, site, address, browser, tmp_path):
    page.goto(site.address + address)
    with page.expect_download() as download:
        page.locator(".page-head summary", has_text="More").click()
        page.get_by_role("link", name="Report").click()
    file = tmp_path / "report.html"
    download.value.save_as(file)
    offline = browser.new_context(viewport={"width": 900, "height": 700})
    asked, wrong = [], []
    offline.route(re.compile("^(?!file:)"), lambda route: (asked.append(route.request.url), route.abort()))
    reader = offline.new_page()
    reader.on("console", lambda message: wrong.append(message.text))
    reader.on("pageerror", lambda error: wrong.append(str(error)))
    reader.goto(file.as_uri())
    expect(reader.get_by_role("heading", name="Methods")).to_be_visible()
    figures = reader.locator("figure")
    assert figures.count() >= 3 and reader.locator("figure:has(.main-svg .scatterlayer)").count() == figures.count()
    assert reader.locator("table").count() >= 5
    assert reader.evaluate("document.documentElement.scrollWidth") <= 900
    assert reader.pdf(format="A4").startswith(b"%PDF")
    assert (asked, wrong) == ([], [])
    offline.close()
