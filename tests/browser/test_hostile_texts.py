"""No page executes or fetches anything from texts of models, providers or members.

The content security policy is on; since it is the second wall, the tests also run with a browser that ignores it.
"""

import pytest

from tests.browser.conftest import CHROMIUM
from tests.conftest import need
from tests.security.hostile_lab import HostileModel, hostile_lab, views
from tests.security.script_payloads import PAYLOADS
from tests.stub_provider import StubProvider
from tests.visitors import signed_in
from tests.waiting import Patience

pytestmark = [pytest.mark.browser, pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def lab(live_server, alice):
    need("Chromium", bool(CHROMIUM))
    with StubProvider(HostileModel()) as stub:
        yield hostile_lab(alice.memberships.get(), stub)


class Guard:
    """Opens pages, and records whatever a payload achieves."""

    def __init__(self, browser, address, *, policy, cookies=()):
        self.address, self.achieved = address, []
        self.context = browser.new_context(bypass_csp=not policy, viewport={"width": 1440, "height": 900})
        self.context.expose_function("canary", lambda n: self.achieved.append(f"ran {n}"))
        self.context.on("dialog", lambda dialog: (self.achieved.append(dialog.message), dialog.dismiss()))
        self.context.on("page", lambda page: page.on("download", lambda d: self.achieved.append(f"saved {d.url}")))
        self.context.route(lambda url: not url.startswith((f"{address}/", "data:", "blob:")), self.refuse)
        self.context.add_cookies([{"name": c.key, "value": c.value, "url": address} for c in cookies])
        self.page = self.context.new_page()

    def wait_for_quiet(self):
        """Wait until half a second brings nothing more; at first a busy machine may take longer."""
        before, heard, left = len(self.achieved), -1, Patience(10)
        while not left.is_over() and (heard != len(self.achieved) or heard == before):
            heard = len(self.achieved)
            self.page.wait_for_timeout(500)

    def refuse(self, route):
        self.achieved.append(f"fetched {route.request.url}")
        route.abort()

    def see(self, path):
        """Open a page and its folds, scroll it to its end and move over it, as a reader does."""
        response = self.page.goto(self.address + path)
        assert response.status == 200, path
        self.page.mouse.move(700, 400)
        self.page.evaluate("for (const fold of document.querySelectorAll('main details:not(.menu)')) fold.open = true")
        for chart in self.page.locator(".chart[data-figure]").all():
            chart.scroll_into_view_if_needed()
            chart.locator("svg.main-svg, .chart-note:not([hidden])").first.wait_for()
        self.page.keyboard.press("End")
        self.page.mouse.move(600, 500)
        assert self.page.url == self.address + path
        assert not self.achieved, (path, self.achieved)


def test_the_payloads_work_as_markup(browser, live_server):
    """The other test would also pass with payloads that do nothing."""
    guard = Guard(browser, live_server.url, policy=False)
    some = [payload for payload in PAYLOADS[::3] if "refresh" not in payload]
    for start in range(0, len(some), 110):
        guard.page.goto(f"{live_server.url}/login/")
        guard.page.evaluate(
            "texts => texts.forEach(text => { const box = document.createElement('div');"
            " document.body.append(box); box.append(document.createRange().createContextualFragment(text)); })",
            some[start : start + 110],
        )
        guard.wait_for_quiet()
    ran = {what for what in guard.achieved if what.startswith("ran")}
    fetched = {what for what in guard.achieved if what.startswith("fetched")}
    guard.context.close()
    assert len(PAYLOADS) >= 500 and len(ran) >= 20 and len(fetched) >= 5, (len(ran), len(fetched))


@pytest.mark.parametrize("policy", [True, False], ids=["policy on", "policy off"])
def test_no_page_executes_or_fetches_a_payload(policy, browser, live_server, lab, alice):
    guard = Guard(browser, live_server.url, policy=policy, cookies=signed_in(alice).cookies.values())
    for path in views(lab):
        guard.see(path)
    guard.page.goto(f"{live_server.url}/agents/")
    guard.page.get_by_role("button", name="Test connection of").first.click()
    guard.page.locator(".test-result").wait_for()
    guard.page.wait_for_timeout(500)
    assert not guard.achieved
    guard.context.close()
