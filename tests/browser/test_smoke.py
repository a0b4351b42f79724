"""A newcomer's first minutes on a new site: sign in, launch, watch, read a period, compare."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.forms import launch_pricing
from tests.data_folders import FIRST_START, ROOT, run_on
from tests.running_site import RunningSite, up

pytestmark = pytest.mark.browser

NOTHING_PLAYED = """
from runs import bootstrap
bootstrap.DEMO = ()
print(bootstrap.ensure_organization(allow_environment_keys=True)[1])
"""
ONE_RUN = """
from accounts.models import Organization
from runs.launching.plan import LaunchPlan
from runs.models import Agent
from runs.services.experiments import experiment_launch
agents = tuple(Agent.objects.filter(baseline="random"))
plan = LaunchPlan(environments=("scheduling",), difficulties=("BASIC",), seeds=(0,), periods=1, agents=agents)
experiment_launch(organization=Organization.objects.get(), user=None, plan=plan, name="Instead of the demo")
"""


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """A new site that has played one short run instead of its demo."""
    folder = tmp_path_factory.mktemp("smoke")
    password = run_on(folder, FIRST_START + NOTHING_PLAYED + ONE_RUN)
    with up(folder, ROOT, {}) as (address, _):
        yield RunningSite(address, "owner", password, folder)


def test_a_newcomer_launches_watches_reads_and_compares(page, site):
    launch_pricing(page, site, ["Local search", "Drift tracker"], "Launch 2 runs", periods=6)
    expect(page.locator(".facts .state.finished")).to_be_visible()
    page.get_by_role("link", name=re.compile("^Drift tracker")).first.click()
    page.wait_for_url(re.compile(r"/runs/\d+/"))
    page.goto(f"{page.url.rstrip('/')}/periods/5/")
    expect(page.locator("#period-title")).to_contain_text("Period 5 of 0–5")
    page.locator("#tab-raw").click()
    expect(page.locator("#period")).to_contain_text('"action"')
    page.goto(f"{site.address}/leaderboard/?periods=6")
    page.get_by_role("checkbox", name="Compare Local search").check()
    page.get_by_role("checkbox", name="Compare Drift tracker").check()
    page.get_by_role("button", name="Compare the ticked agents").click()
    expect(page.get_by_role("region", name="Answers")).to_contain_text("Drift tracker")
