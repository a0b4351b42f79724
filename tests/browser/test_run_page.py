"""The run page in a browser: a period followed call by call, the strip of notes, replay and keys."""

import re
import threading

import pytest
from playwright.sync_api import expect

from tests.browser.forms import add_house_model, launch_pricing
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubProvider
from tests.waiting import patience

pytestmark = pytest.mark.browser


@pytest.fixture
def gate():
    """Each release lets one call of the model be answered."""
    return threading.Semaphore(0)


@pytest.fixture
def slow(gate):
    player = ScriptedPlayer()

    def answer(wire, body, headers):
        gate.acquire(timeout=patience())
        return player(wire, body, headers)

    with StubProvider(answer) as stub:
        yield stub
        gate.release(1000)


def test_a_period_is_followed_live_and_replayed_by_keyboard(page, site, slow, gate):
    add_house_model(page, site, slow.base_url("openai"), "Slow model")
    launch_pricing(page, site, ["Slow model"], "Launch 1 run", periods=6)
    page.locator("a.cell").last.click()
    panel, title = page.locator("#period"), page.locator("#period-title")
    expect(title).to_have_text(re.compile(r"Period 0 of 0–5, live"))
    expect(panel).to_contain_text("waiting for")
    age = int(page.locator("[data-age]").get_attribute("data-age"))
    expect(page.locator("[data-age]")).to_have_attribute("data-age", str(age + 3))
    gate.release()
    first = panel.locator(".calls summary", has_text="get_previous_pricing_data")
    expect(first).to_be_visible()
    expect(title).to_contain_text("Period 0")
    first.click()
    expect(panel.locator("details[open]")).to_contain_text("Its result is stored when the period ends.")
    gate.release()
    expect(title).to_have_text(re.compile(r"Period 1 of 0–5, live"))
    gate.release(100)
    expect(page.locator(".facts .state.finished")).to_be_visible()
    expect(title).to_have_text("Period 5 of 0–5")
    replay_with_keys(page, site, title)


def replay_with_keys(page, site, title):
    page.reload()
    expect(page.locator(".strip-cells a")).to_have_count(6)
    expect(page.locator("#note-strip")).to_contain_text(re.compile(r"Notes changed in \d of 6 periods"))
    pause = page.locator("#period-pause")
    expect(pause).to_be_hidden()
    page.locator("body").press("Space")
    expect(pause).to_be_visible()
    expect(title).to_contain_text("Period 2")
    page.locator("body").press("Space")
    expect(pause).to_be_hidden()
    page.locator("#act-more").click()
    page.locator("#period-replay").click()
    expect(page.locator("#period-replay")).to_be_hidden()
    expect(title).to_contain_text("Period 5")
    expect(pause).to_be_hidden()
    page.locator("body").press("?")
    expect(page.get_by_role("dialog", name="Keys of this page")).to_be_visible()
    page.keyboard.press("Escape")
    cell = page.locator(".strip-cells a[tabindex='0']")
    expect(cell).to_have_attribute("data-open", "5")
    cell.focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".strip-cells a:focus")).to_have_attribute("data-open", "4")
    expect(title).to_contain_text("Period 4")


@pytest.mark.parametrize(
    ("width", "height", "parts"),
    [
        (1440, 900, ("#run-live .figures dd", ".chart-panel", ".notes")),
        (390, 844, ("#run-live .figures dd", ".chart-panel h2")),
    ],
)
def test_the_first_screen_of_a_run_shows_its_score_chart_and_notes(page, site, width, height, parts):
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{site.address}/runs/2/")
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    for part in parts:
        box = page.locator(part).first.bounding_box()
        assert box["y"] + box["height"] <= height, part
    if width < 400:
        plot = page.locator(".js-plotly-plot").first.bounding_box()
        assert plot["y"] + plot["height"] / 2 <= height, "half of the chart is in sight"
