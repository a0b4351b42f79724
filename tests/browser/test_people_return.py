"""A participant leaves and returns, sends twice, uses two windows, and runs out of time."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.hands import Keyboard
from tests.waiting import slowness

pytestmark = pytest.mark.browser

LINK = """
from accounts.models import Membership
from pages.play.models import Study
from pages.play.services.participants import participants_create
from pages.play.services.studies import study_create
owner = Membership.objects.filter(role="owner").first()
study = Study.objects.filter(name="Returns").first() or study_create(
    actor=owner, name="Returns", title="A study of decisions", environment="pricing", difficulty="BASIC", seeds="0",
    periods=3, practice=0, consent="Your decisions are recorded.")
((_, secret),) = participants_create(actor=owner, study=study, count=1, labels=[])
print(f"/p/{secret}/")
"""
DUE = """
from datetime import timedelta
from django.utils import timezone
from runs.episodes.models import Episode
Episode.objects.filter(ending="").update(period_due_at=timezone.now() + timedelta(seconds={seconds}))
"""


@pytest.fixture
def window(browser, site):
    """A new browser of a person without an account, open at an address."""
    opened = []

    def open_at(address, same_as=None):
        page = (same_as.context if same_as else browser.new_context(viewport={"width": 390, "height": 844})).new_page()
        opened.append(page)
        page.goto(f"{site.address}{address}")
        return page

    yield open_at
    for page in opened:
        page.close()


def begin(page):
    hand = Keyboard(page)
    hand.press(page.get_by_role("button", name="I agree and take part"))
    hand.press(page.get_by_role("button", name="Begin the game"))
    expect(page.get_by_role("heading", name="Period 0")).to_be_visible()
    page.wait_for_load_state("networkidle")
    return hand


def test_a_participant_continues_in_another_browser(window, site):
    address = site.run(LINK)
    first = window(address)
    hand = begin(first)
    hand.type("4.25")
    hand.keys("Enter")
    expect(first.get_by_role("heading", name="Period 1")).to_be_visible()
    first.wait_for_load_state("networkidle")
    hand.type("7.5")
    hand.write(first.locator("#notes"), "half a thought")
    expect(first.locator("#saved")).to_have_text(re.compile("Saved"))
    first.context.close()

    other = window(address)
    expect(other.get_by_role("heading", name="Period 1")).to_be_visible()
    expect(other.locator("#id_a0")).to_have_value("7.5")
    expect(other.locator("#notes")).to_have_value("half a thought")
    expect(other.locator("#last")).to_contain_text("Your profit in period 0")


def test_a_period_sent_repeatedly_from_several_windows_is_played_once(window, site):
    address = site.run(LINK)
    first = window(address)
    hand = begin(first)
    second = window(address, same_as=first)
    second.wait_for_load_state("networkidle")
    first.bring_to_front()
    hand.type("4")
    hand.keys("Enter", "Enter")
    expect(first.get_by_role("heading", name="Period 1")).to_be_visible()

    second.bring_to_front()
    other = Keyboard(second)
    other.write(second.locator("#id_a0"), "5")
    other.write(second.locator("#notes"), "from the second window")
    other.keys("ControlOrMeta+Enter")
    expect(second.get_by_role("heading", name="Period 1")).to_be_visible()
    told = second.locator(".messages")
    expect(told).to_contain_text("Period 0 was played with another action. What you sent changed nothing.")
    expect(told).to_be_in_viewport()
    expect(second.locator("#notes")).to_have_value("from the second window")


def test_an_open_page_reports_that_the_time_ran_out(window, site):
    page = window(site.run(LINK))
    begin(page)
    # The page is seen again before its time runs out.
    site.run(DUE.format(seconds=6 * slowness()))
    page.reload()
    expect(page.get_by_role("heading", name="Period 0")).to_be_visible()
    expect(page.get_by_text("Its time ran out.")).to_be_visible()
    expect(page.get_by_text("ask the person who invited you")).to_be_visible()
