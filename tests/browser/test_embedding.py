"""A shared table and a shared figure appear in a frame on another site; other pages do not."""

import http.server
import re
import threading

import pytest

from tests.waiting import wait_until

pytestmark = pytest.mark.browser


@pytest.fixture
def elsewhere():
    """The address of a page on another origin with this body."""
    bodies = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = bodies[int(self.path[1:])] if self.path[1:].isdecimal() else ""
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(f"<!doctype html><title>A blog</title>{body}".encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def show(body):
        bodies.append(body)
        return f"http://127.0.0.1:{server.server_port}/{len(bodies) - 1}"

    yield show
    server.shutdown()
    server.server_close()


def share(page, figure=""):
    """The address of a new link to the leaderboard that is open, and the snippet for other pages."""
    page.wait_for_load_state()
    page.locator("#act-share").click()
    page.get_by_role("button", name="Create link").wait_for()
    if figure:
        page.locator("#share-figure").select_option(figure)
    page.get_by_role("button", name="Create link").click()
    page.locator("#share-address").wait_for()
    return page.locator("#share-address").text_content(), page.locator("#share-frame").text_content()


def saved(page, site, kind, name):
    page.goto(f"{site.address}/leaderboards/new/?kind={kind}")
    page.locator("input[name=name]").fill(name)
    page.get_by_role("button", name="Save").click()
    page.get_by_role("heading", name=name).wait_for()


def test_only_embeddable_shared_pages_appear_in_a_foreign_frame(page, site, browser, elsewhere):
    saved(page, site, "benchmark", "For a blog")
    address, table = share(page)
    saved(page, site, "litmus", "For another blog")
    _, figure = share(page, "pareto")

    visitor = browser.new_context().new_page()
    problems = []
    visitor.on("console", lambda m: problems.append(m.text) if m.type in {"error", "warning"} else None)
    visitor.goto(elsewhere(table + figure.replace("theme=light", "theme=dark")))
    first, second = visitor.frame_locator("iframe >> nth=0"), visitor.frame_locator("iframe >> nth=1")
    first.get_by_role("cell", name="GPT-5", exact=False).or_(first.get_by_text("GPT-5")).first.wait_for()
    second.locator(".js-plotly-plot").wait_for()
    colours = [frame.locator("body").evaluate("b => getComputedStyle(b).backgroundColor") for frame in (first, second)]
    assert colours == ["rgb(255, 255, 255)", "rgb(24, 25, 28)"]
    for frame in (first, second):
        assert frame.get_by_role("heading", level=1).is_visible()
    for number in (0, 1):
        given = float(visitor.locator("iframe").nth(number).get_attribute("height"))
        content = visitor.frames[number + 1].evaluate("document.body.getBoundingClientRect().height")
        assert 0.85 * content <= given <= 1.4 * content, f"frame {number}: {given} for a content of {content}"
    # On a slow machine the browser warns that a preloaded font was not used in time.
    assert not [text for text in problems if "was preloaded using link preload" not in text]

    for path in (address, f"{site.address}/login/", f"{site.address}/", f"{site.address}/s/nothing/"):
        visitor.goto(elsewhere(f'<iframe src="{path}"></iframe>'))

        def refused():
            visitor.wait_for_timeout(100)  # Console messages of the browser arrive in the meantime.
            return [frame for frame in visitor.frames if frame.url == "chrome-error://chromewebdata/"]

        shown = wait_until(refused, lambda: f"{path}: {[frame.url for frame in visitor.frames]}")  # noqa: B023
        assert not re.search(r"GPT-5|Log in|shared here", shown[0].content())


def test_a_shared_page_works_without_a_log_in_and_without_console_errors(page, site, browser):
    saved(page, site, "benchmark", "Seen by a visitor")
    address, _ = share(page)
    visitor = browser.new_context(viewport={"width": 390, "height": 844}).new_page()
    problems = []
    visitor.on("console", lambda m: problems.append(m.text) if m.type in {"error", "warning"} else None)
    visitor.goto(address)
    visitor.get_by_role("heading", name="Seen by a visitor").wait_for()
    visitor.locator("[data-theme-toggle]").click()
    assert visitor.evaluate("document.documentElement.scrollWidth") <= 390
    assert visitor.context.cookies() == [] and not problems

    page.goto(f"{site.address}/share/")
    page.get_by_role("button", name="Revoke").first.click()
    page.get_by_role("button", name="Revoke the link", exact=True).first.click()
    page.get_by_text("It no longer works").wait_for()
    visitor.reload()
    visitor.get_by_role("heading", name="This link is not available").wait_for()
