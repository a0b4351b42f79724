"""Typed values stay, ended sessions lead to the log-in page, and headings and columns stay visible."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.long]

LONG = """
from runs.models import Experiment
Experiment.objects.update(name="pricing_ablation_long_reasoning_traces_third_attempt_2026-11-26-experimental")
"""
LOST = """() => [...document.querySelectorAll("main .scroll")].filter((box) => box.scrollWidth > box.clientWidth + 1)
  .map((box) => `${box.getAttribute("aria-label")} ${box.scrollWidth} > ${box.clientWidth}`)"""
"""Tables of which a part is out of sight."""


def leave(page):
    """End the session, as its time does."""
    page.context.clear_cookies()


def come_back(page, site):
    page.wait_for_url(re.compile("/login/"))
    expect(page.locator("main form")).to_have_count(1)
    page.locator("input[name=username]").fill(site.user)
    page.locator("input[name=password]").fill(site.password)
    page.keyboard.press("Enter")


def test_the_mouse_wheel_changes_no_number(page, site):
    page.goto(f"{site.address}/instances/designs/new/?environment=pricing")
    field = page.get_by_role("textbox", name="Products")
    field.fill("5")
    field.hover()
    page.mouse.wheel(0, 300)
    page.keyboard.press("ArrowUp")
    expect(field).to_have_value("5")


def test_a_run_of_an_ended_session_leads_to_the_log_in_page_and_back(page, site, complaints):
    address = f"{site.address}/runs/1/periods/3/"
    page.goto(address)
    leave(page)
    page.keyboard.press("k")
    come_back(page, site)
    page.wait_for_url(address)
    expect(page.locator("#period")).to_be_visible()
    complaints[:] = [text for text in complaints if "401" not in text]


def test_a_refreshed_chart_of_an_ended_session_leads_to_the_log_in_page_and_back(page, site, complaints):
    page.goto(f"{site.address}/leaderboard/")
    page.locator(".js-plotly-plot").first.wait_for()
    leave(page)
    page.evaluate("document.querySelector('.chart').dispatchEvent(new CustomEvent('chart:refresh'))")
    come_back(page, site)
    page.wait_for_url(f"{site.address}/leaderboard/")
    complaints[:] = [text for text in complaints if "401" not in text]


def test_the_action_bar_never_covers_list_headings(page, site):
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{site.address}/experiments/1/?sort=instance#run-list")
    page.locator(".pick-run").first.check()
    page.locator(".run-actions").wait_for()
    for seen in range(10, 150, 20):
        gap = page.evaluate(
            """(seen) => {
              const table = document.querySelector(".run-actions").parentElement.querySelector("table");
              scrollTo(0, table.getBoundingClientRect().top + scrollY - innerHeight + seen);
              const actions = document.querySelector(".run-actions").getBoundingClientRect();
              return actions.top - table.tHead.getBoundingClientRect().bottom;
            }""",
            seen,
        )
        assert gap >= 0, seen


def test_long_names_push_no_column_out_of_view(page, site):
    site.run(LONG)
    page.set_viewport_size({"width": 1440, "height": 900})
    for address in ("", "experiments/", "runs/", "agents/optimum/", "findings/"):
        page.goto(f"{site.address}/{address}")
        page.wait_for_load_state("networkidle")
        assert page.evaluate(LOST) == [], address


def test_the_second_seat_is_visible_only_for_markets(page, site):
    page.goto(f"{site.address}/experiments/new/?preset=quick")
    page.get_by_text("Prompt variants, instances, wording and pace").click()
    seat = page.get_by_label("Second seat in a market of two")
    expect(seat).to_be_hidden()
    page.locator("label.chip", has_text="Collusiveness").click()
    expect(seat).to_be_visible()
    page.goto(f"{site.address}/play/")
    expect(seat).to_be_hidden()
    page.get_by_label("Game", exact=True).select_option("collusiveness_vs_competitiveness/STANDARD")
    expect(seat).to_be_visible()
