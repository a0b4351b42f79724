"""A real site as bin/up runs it, a model endpoint beside it, and Chromium."""

import ast
import os
import random
import shutil
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from tests.conftest import need
from tests.running_site import running_site
from tests.scripted_player import CEILING, Chat, ScriptedPlayer
from tests.stub_provider import StubAnswer, StubProvider
from tests.waiting import patience

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or ""

OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
"""How many pixels a page is wider than its window."""


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    need("Chromium", bool(CHROMIUM))
    with running_site(tmp_path_factory.mktemp("site"), ECONEVALS_LEASE_SECONDS="5") as site:
        yield site


SIGNED_IN = {}
"""The cookies of a person who has signed in, by address of the site."""

TURN = 40
BEFORE = "I test the top of the range first: {:.0f} % of the highest price."
AFTER = "High prices sell little, so from now on I charge less than half: {:.0f} %."


@pytest.fixture(scope="session")
def stub():
    """A model that plays by rote. In pricing it asks much lower prices from period TURN on, and notes why."""
    player = ScriptedPlayer(delay=0.02)

    def answer(wire, body, headers):
        if "report_sum" in str(body["tools"]):
            return StubAnswer(calls=(("report_sum", {"sum": 42}),))
        played = player(wire, body, headers)
        if "set_prices" not in dict(played.calls):
            return played
        chat = Chat.of(wire, body)
        attempt = int(chat.results["get_attempt_number"])
        share = (0.85 if attempt < TURN else 0.42) + random.Random(attempt).uniform(-0.04, 0.04)
        highest = float(CEILING.search(chat.prompt)[1])
        asked = dict.fromkeys(ast.literal_eval(chat.results["get_product_ids"]), round(share * highest, 2))
        notes = ("write_notes", {"notes": (BEFORE if attempt < TURN else AFTER).format(100 * share)})
        return replace(played, calls=(notes, ("set_prices", {"prices_dict_str": str(asked)})))

    with StubProvider(answer) as stub:
        yield stub


@pytest.fixture(scope="session")
def browser_type_launch_args():
    quiet = ["--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
    return {"executable_path": CHROMIUM, "args": ["--no-sandbox", "--disable-gpu", *quiet]}


@pytest.fixture(scope="session")
def browser(browser):
    """Everything is waited for with the patience of the tests, measured anew for each context."""
    new_context = browser.new_context

    def patient(**options):
        context, milliseconds = new_context(**options), 1000 * patience()
        context.set_default_timeout(milliseconds)
        expect.set_options(timeout=milliseconds)
        return context

    browser.new_context = patient
    return browser


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args):
    """Without animations, which a browser without a graphics card draws with the processor."""
    return browser_context_args | {"reduced_motion": "reduce"}


@pytest.fixture
def complaints():
    """Console errors, policy violations and failed requests of a test's pages; a test ends with none."""
    return []


@pytest.fixture
def page(site, context, complaints):
    """A page of a person who is signed in."""
    page = context.new_page()
    page.on("console", lambda m: complaints.append(m.text) if m.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("requestfailed", lambda r: "ERR_ABORTED" in r.failure or complaints.append(f"{r.url} {r.failure}"))
    context.add_cookies(SIGNED_IN.get(site.address, []))
    page.goto(site.address)
    if "/login/" in page.url:
        page.locator("input[name=username]").fill(site.user)
        page.locator("input[name=password]").fill(site.password)
        page.keyboard.press("Enter")
    page.get_by_role("heading", name="Home").wait_for()
    SIGNED_IN[site.address] = context.cookies()
    yield page
    # A page that is left aborts its requests, which htmx reports as errors.
    assert not [text for text in complaints if "htmx:sendAbort" not in text and "htmx:afterRequest" not in text]
