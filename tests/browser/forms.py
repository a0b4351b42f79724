"""Forms that several tests fill in."""

import re


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
    """Choose these agents in the form of a launch, and no others."""
    for button in page.get_by_role("button", name="Choose none").all():
        button.click()
    for agent in agents:
        page.get_by_role("checkbox", name=re.compile(rf"^{agent}")).check()


def launch_pricing(page, site, agents, button, periods=100):
    """Launch one run of pricing for each agent and wait for the page of the experiment; `button` is the text to press."""
    page.goto(f"{site.address}/experiments/new/")
    for name in ("Procurement", "Scheduling"):
        page.locator("label.chip", has=page.get_by_role("checkbox", name=name, exact=True, checked=True)).click()
    page.get_by_label("Seeds").fill("0")
    page.get_by_label("Periods").fill(str(periods))
    tick_only(page, agents)
    page.get_by_role("button", name=button, exact=True).click()
    page.wait_for_url(re.compile(r"/experiments/\d+/$"))
