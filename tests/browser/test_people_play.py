"""A person plays every environment to its end on a narrow screen, with the keyboard alone.

bin/test tests/browser/test_people_play.py -s prints the keys that each period takes.
"""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OVERFLOW
from tests.browser.hands import Keyboard

pytestmark = pytest.mark.browser

PERIODS = 3
GAMES = {
    "Procurement BASIC": "supports|invalid",
    "Scheduling BASIC": "worker W",
    "Pricing BASIC": "Your profit in period",
    "Efficiency versus equality STANDARD": "in revenue",
    "Patience versus impatience STANDARD": "",
    "Collusiveness versus competitiveness STANDARD": "Your profit in period",
}
"""Each game, and what its page tells of the period before."""

KEYS_AGAIN = 3
"""To send the last action again."""

HAS_FOCUS = "document.activeElement === document.querySelector('table.fields :is(input, select)')"


@pytest.mark.parametrize("game", GAMES)
def test_a_person_plays_with_the_keyboard_only_on_a_narrow_screen(page, site, complaints, game):
    page.set_viewport_size({"width": 390, "height": 844})
    hand = Keyboard(page)
    begin(hand, page, site, game)
    keys = []
    for period in range(PERIODS):
        expect(page.get_by_role("heading", name=f"Period {period} of 0–{PERIODS - 1}")).to_be_visible()
        page.wait_for_load_state("networkidle")
        assert page.evaluate(OVERFLOW) <= 0
        if period:
            see_the_last_period(page, GAMES[game])
        hand.acts = 0
        if period == 0:
            assert page.evaluate(HAS_FOCUS)
            act(hand, page)
        elif period == 1:
            act_again(hand, page)
        else:
            act_with_notes(hand, page, complaints)
        keys.append(hand.acts)
    expect(page.get_by_text("The game is finished.")).to_be_visible()
    if game.partition(" ")[0] != "Patience":
        expect(page.get_by_text("Your result is")).to_be_visible()
    print(f"\n{game:46} {keys} keys a period")
    hand.press(page.get_by_role("link", name="Look at the run"))
    expect(page.locator(".facts .state.finished")).to_be_visible()


def begin(hand, page, site, game):
    page.goto(f"{site.address}/play/")
    hand.choose(page.get_by_label("Game", exact=True), game)
    hand.write(page.get_by_label("Periods", exact=True), str(PERIODS))
    page.keyboard.press("Enter")


def see_the_last_period(page, told):
    """The result is visible without scrolling, and the focus is on the first field of the next action."""
    assert page.evaluate(HAS_FOCUS)
    expect(page.locator("table.fields :is(input, select)").first).to_be_in_viewport()
    if told:
        expect(page.locator("#last")).to_be_in_viewport()
        expect(page.locator("#last")).to_have_text(re.compile(told))


def act(hand, page):
    fill(hand, page)
    hand.keys("ControlOrMeta+Enter")


def fill(hand, page):
    """Give every field a value, from the first one, which has the focus."""
    kind = page.locator("table.fields").get_attribute("data-kind")
    if kind == "answers":
        questions = page.locator("table.fields tbody tr").count()
        hand.type("ab" * (questions // 2) + "a" * (questions % 2))
        expect(page.locator(".send-bar button")).to_be_focused()
    elif kind == "match":
        fields = page.locator("table.fields select")
        options = fields.first.evaluate("field => [...field.options].map((one) => one.value).filter(Boolean)")
        rest = page.get_by_role("button", name="Give out the rest in order")
        if rest.count() and not page.locator("#last").count():
            hand.type(options[-1])
            hand.press(rest)
            expect(fields.first).to_have_value(options[-1])
            expect(fields.last).to_have_value(options[-2])
        else:
            for option in options[:-1]:
                hand.type(option)
                hand.keys("Tab")
            hand.type(options[-1])
        expect(page.locator(".total")).to_contain_text("Each is used once")
    else:
        hand.type("2")


def act_again(hand, page):
    """Send the last action again, or enter one if there is none to repeat."""
    again = page.get_by_role("button", name="Fill in my last action")
    if not again.count():
        return act(hand, page)
    hand.keys("Shift+Tab")
    expect(again).to_be_focused()
    hand.keys("Enter", "Enter")
    assert hand.acts == KEYS_AGAIN


def act_with_notes(hand, page, complaints):
    """Send an empty form and read the error, then send the action, with notes if the game has notes."""
    hand.keys("ControlOrMeta+Enter")
    expect(page.get_by_role("alert").first).to_be_visible()
    # Chromium logs the status of the page with the sentence.
    complaints[:] = [text for text in complaints if "status of 422" not in text]
    focused = page.locator(":focus")
    expect(focused).to_be_in_viewport()
    if focused.get_attribute("role") == "alert":
        hand.keys("Tab")
    assert page.evaluate(HAS_FOCUS)
    hand.acts = 0
    fill(hand, page)
    if page.locator("#notes").count():
        hand.write(page.locator("#notes"), "What I learned")
        expect(page.locator("#saved")).to_have_text(re.compile("Saved"))
    hand.keys("ControlOrMeta+Enter")
