"""The first minute of a new site, as bin/up leaves it."""

import re

import pytest
from playwright.sync_api import expect

from tests.data_folders import ROOT, copy_of, new_site
from tests.running_site import up

pytestmark = [pytest.mark.browser, pytest.mark.long]

DEMO_SECONDS = 300
CHARTS_OF_THE_LITMUS_PAGE = 4


def test_a_new_site_says_what_it_is_plays_its_demo_and_leads_to_a_finished_run(context, tmp_path):
    copy_of(new_site, tmp_path)
    with up(tmp_path, ROOT, {}) as (address, log):
        page = context.new_page()
        page.goto(address)
        expect(page.get_by_text("AI agents play economic games")).to_be_visible()
        page.get_by_label("User name or e-mail").fill("owner")
        page.get_by_label("Password").fill(re.search(r"password\s+(\S+)", log.read_text())[1])
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="First steps")).to_be_visible()
        expect(page.locator(".running progress").first).to_be_visible()
        expect(page.get_by_text("Nothing is running.")).to_be_visible(timeout=DEMO_SECONDS * 1000)
        expect(page.locator(".state.finished")).to_have_count(5)
        page.reload()
        page.get_by_role("link", name="Open a finished run").click()
        expect(page.locator(".js-plotly-plot").first).to_be_visible()
        page.goto(f"{address}/litmus/")
        for chart in range(CHARTS_OF_THE_LITMUS_PAGE):
            page.locator("[data-figure]").nth(chart).scroll_into_view_if_needed()
        expect(page.locator(".js-plotly-plot")).to_have_count(CHARTS_OF_THE_LITMUS_PAGE)
        page.goto(address)
        page.get_by_role("button", name="Dismiss the first steps").click()
        expect(page.get_by_role("heading", name="First steps")).to_be_hidden()
