"""Runs are ticked in a table, compared, and read period by period."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.long]


def test_ticked_runs_are_compared_and_read_period_by_period(page, site):
    page.goto(f"{site.address}/runs/?text=pricing+BASIC+0&sort=number")
    for agent in ("Constant prices", "Local search"):
        page.get_by_role("row", name=re.compile(agent)).get_by_role("checkbox").check()
    page.get_by_role("button", name="Compare the ticked runs").click()
    expect(page).to_have_url(re.compile(r"/compare/runs/\?run=\d+&run=\d+$"))
    expect(page.get_by_label("Answer")).to_contain_text("has the highest score")
    expect(page.get_by_label("Answer")).to_contain_text("They first part in period 1")
    expect(page.locator("#period-title")).to_contain_text("Period 1")
    expect(page.locator(".chart svg.main-svg").first).to_be_visible()
    page.locator("#period-next").click()
    expect(page.locator("#period-title")).to_contain_text("Period 2")
    expect(page).to_have_url(re.compile(r"period=2$"))
    page.locator("body").press("j")
    expect(page.locator("#period-title")).to_contain_text("Period 3")
    expect(page).to_have_url(re.compile(r"period=3$"))
    expect(page.locator(".chart")).to_have_attribute("data-select", "3")
    page.go_back()
    expect(page.locator("#period-title")).to_contain_text("Period 2")
    page.reload()
    expect(page.locator("#period-title")).to_contain_text("Period 2")
    page.locator(".column").nth(1).get_by_role("link", name=re.compile(r"^Run \d+$")).click()
    expect(page).to_have_url(re.compile(r"/runs/\d+/periods/2/$"))


def test_an_agents_name_leads_to_its_page_with_its_figures(page, site):
    page.goto(f"{site.address}/leaderboard/")
    page.get_by_role("link", name="Local search", exact=True).click()
    expect(page.get_by_role("heading", name="Local search")).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("Pricing BASIC")).first).to_be_visible()
    expect(page.locator(".chart svg.main-svg").first).to_be_visible()
