"""Every page, wide and narrow, light and dark: axe-core, text cut off, what the first view weighs and how far it shifts.

SCREENS=screens bin/test tests/browser/test_every_page.py -s looks at all four settings, writes their pictures there
and prints the figures of each. Without it a page is looked at wide and light, and narrow and dark, but loaded only once, the
one page wide and the next one narrow.
"""

import base64
import json
import os
from collections import defaultdict
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.conftest import OVERFLOW
from tests.browser.forms import add_house_model, launch_pricing
from tests.data_folders import ROOT, copy_of
from tests.running_site import RunningSite, demo_site, up

pytestmark = [pytest.mark.browser, pytest.mark.long]

GAMES = {
    "procurement": "HARD",
    "scheduling": "HARD",
    "pricing": "HARD",
    "efficiency_vs_equality": "STANDARD",
    "collusiveness_vs_competitiveness": "STANDARD",
    "patience_vs_impatience": "STANDARD",
}
PAGES = {
    "home": "",
    "go": "go/?q=demo",
    "experiments": "experiments/",
    "experiment": "experiments/1/",
    "launch": "experiments/new/",
    "import": "experiments/import/",
    "exports": "exports/",
    "runs": "runs/",
    "runs-columns": "runs/?columns=agent&columns=score",
    "view-new": "runs/views/new/?state=finished&columns=score",
    "deleted": "deleted/",
    "run": "runs/{run}/periods/40/",
    "run-transcript": "runs/{run}/periods/40/?tab=transcript",
    "run-notes": "runs/{run}/notes/",
    "run-findings": "runs/{run}/findings/",
    "run-scheduling": "runs/13/",
    "run-litmus": "runs/40/",
    "findings": "findings/",
    "notes": "notes/",
    "notes-new": "notes/new/",
    "search": "search/?q=charge",
    "search-nothing": "search/?q=zebra",
    "leaderboard": "leaderboard/",
    "litmus": "litmus/",
    "leaderboards": "leaderboards/",
    "leaderboard-new": "leaderboards/new/?kind=benchmark",
    "compare": "compare/?agents=random&agents=optimum",
    "compare-litmus": "compare/litmus/?agents=equality-greedy-efficiency&agents=equality-greedy-equality",
    "compare-runs": "compare/runs/?run={run}&run=19",
    "trends": "trends/",
    "cost": "cost/",
    "litmus-collusion": "litmus/?test=collusiveness_vs_competitiveness",
    "questions": "questions/",
    "question-new": "questions/new/?run={run}",
    "behaviour": "behaviour/",
    "convergence": "convergence/",
    "learning": "learning/",
    "trajectories": "trajectories/",
    "sensitivity": "sensitivity/",
    "play": "play/",
    "studies": "studies/",
    "study-new": "studies/new/",
    "seasons": "seasons/",
    "season": "{season}",
    "study": "{study}",
    **{name: f"{{{name}}}" for name in ("consent", "practice", "begin", "participant", "end")},
    "participant-history": "{participant}history/",
    **{f"period-{name}": f"{{period-{name}}}" for name in (environment.partition("_")[0] for environment in GAMES)},
    "instances": "instances/",
    "instance": "instances/{instance}/",
    **{
        f"preview-{name.partition('_')[0]}": f"instances/preview/?environment={name}&difficulty={difficulty}"
        for name, difficulty in GAMES.items()
    },
    "designs": "instances/designs/",
    "designer": "instances/designs/new/",
    "design": "instances/designs/{design}/",
    "prompts": "prompts/",
    "prompt-new": "prompts/new/?environment=pricing&base=main",
    "prompt": "prompts/1/",
    "agents": "agents/",
    "baselines": "agents/baselines/",
    "endpoints": "agents/endpoints/",
    "outside-agents": "agents/outside/",
    "agent": "agents/house-model/",
    "drift": "drift/",
    "drift-new": "drift/new/?agent=house-model",
    "registrations": "registrations/",
    "registration-new": "registrations/new/",
    "agent-new": "agents/new/",
    "agent-edit": "agents/{agent}/edit/",
    "endpoint-new": "agents/endpoints/new/",
    "spend": "spend/",
    "ledger": "ledger/",
    "share": "share/experiment/1/",
    "shares": "share/",
    "starred": "starred/",
    "mentions": "mentions/",
    "tags": "tags/",
    "account": "account/",
    "account-email": "account/email/",
    "account-two-factor": "account/2fa/",
    "tokens": "account/tokens/",
    "organization": "organization/",
    "organization-settings": "organization/settings/",
    "organization-tokens": "organization/tokens/",
    "audit": "organization/audit/",
    "gallery": "organization/gallery/",
    "results": "results/",
    "webhooks": "organization/webhooks/",
    "webhook-new": "organization/webhooks/new/",
    "docs": "docs/",
    "docs-commands": "docs/commands/",
    "docs-reading": "docs/reading-the-numbers/",
    "methodology": "methodology/",
    "methodology-section": "methodology/scores-over-time/",
    "api": "api/v1/docs",
}
PROMPT = """
from accounts.models import Organization
from tests.prompts import prompt_of
prompt_of(Organization.objects.get(), system="Sell at good prices.")
"""
PEOPLE = "from tests.pages.play.people_site import populate; populate()"
SCREENS = os.environ.get("SCREENS", "")
SETTINGS = (
    ({"width": 1440, "height": 900}, ("light", "dark") if SCREENS else ("light",)),
    ({"width": 390, "height": 844}, ("light", "dark") if SCREENS else ("dark",)),
)
BETWEEN = (768, 1024)
"""Widths of a tablet, in pixels. The wide page is made that narrow without loading it again."""
GRAVE = {"serious", "critical"}
OF_SWAGGER = ("nested-interactive",)
"""What the library that shows the API documentation does in its own elements."""
MOST_BYTES = 300_000
"""Of a first view, compressed, without Plotly. The library that shows the API documentation weighs more."""
MOST_SHIFT = 0.01
"""Layout shift of a first view, https://web.dev/articles/cls. Good is below 0.1. It is 0.000 unless fonts come late."""

CUT = """() => {
  const walker = document.createTreeWalker(document.querySelector("main") || document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const shown = node.parentElement.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    if (!node.data.trim() || !shown || node.parentElement.closest("summary, svg, .no-script")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (!box.width) continue;
    for (let over = node.parentElement; over && over !== document.body; over = over.parentElement) {
      const style = getComputedStyle(over);
      if (/auto|scroll/.test(style.overflowX + style.overflowY)) break;
      if (style.position === "fixed") break;
      const edge = over.getBoundingClientRect();
      if (edge.width <= 1) break;
      const titled = over.title || node.parentElement.title;
      const cuts = /hidden|clip/.test(style.overflowX) && box.right > edge.right + 1 && !titled;
      const cutsLow = /hidden|clip/.test(style.overflowY) && box.bottom > edge.bottom + 2 && style.webkitLineClamp === "none";
      if (cuts || cutsLow) { found.push(node.data.trim().slice(0, 60)); break; }
    }
  }
  return found;
}"""
"""Texts that an element with hidden overflow cuts off, and whose whole neither its title nor a fold shows."""
SMALL_FIELDS = """() => [...document.querySelectorAll("input, select, textarea")]
  .filter((field) => !/^(checkbox|radio|hidden|file|submit|button)$/.test(field.type))
  .filter((field) => parseFloat(getComputedStyle(field).fontSize) < 16).map((field) => field.name || field.id)"""
"""Fields of forms whose text is so small that phones zoom into them, those in closed dialogs too."""
IN_THEME = """() => {
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.background = "var(--panel)";
  const panel = getComputedStyle(probe).backgroundColor;
  probe.remove();
  return [...document.querySelectorAll(".js-plotly-plot .main-svg")].every((drawing) => {
    const paper = getComputedStyle(drawing).backgroundColor;
    return paper === panel || paper === "rgba(0, 0, 0, 0)";
  });
}"""
"""Whether every chart has been drawn in the colours of the theme, which it does soon after the theme changes."""
SHIFTS = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) if (!one.hadRecentInput) window.shifted += one.value;
}).observe({ type: "layout-shift", buffered: true });
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site of its own, since other tests leave other things on theirs each time."""
    folder = tmp_path_factory.mktemp("site")
    copy_of(demo_site, folder)
    with up(folder, ROOT, {}) as (address, _):
        yield RunningSite(address, "owner", (folder / "password").read_text(), folder)


@pytest.fixture
def session(page):
    """The browser's own protocol, which counts bytes and writes small pictures."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    return session


@pytest.fixture
def received(session):
    """The compressed bytes of each address since the test cleared it."""
    addresses, received = {}, defaultdict(int)
    session.on("Network.requestWillBeSent", lambda sent: addresses.update({sent["requestId"]: sent["request"]["url"]}))
    session.on(
        "Network.loadingFinished",
        lambda done: received.update({addresses.get(done["requestId"], ""): done["encodedDataLength"]}),
    )
    return received


def take_picture(page, session, name):
    page.evaluate("scrollTo(0, 0)")
    shot = session.send("Page.captureScreenshot", {"format": "webp", "quality": 60})
    Path(SCREENS).mkdir(parents=True, exist_ok=True)
    (Path(SCREENS) / f"{name}.webp").write_bytes(base64.b64decode(shot["data"]))


def faults_of(page, name):
    """What is wrong with a page as it stands: overflow, text cut off, what axe finds."""
    rules = {rule: {"enabled": False} for rule in (OF_SWAGGER if name == "api" else ())}
    found = Axe().run(page, options={"resultTypes": ["violations"], "rules": rules}).response["violations"]
    faults = {one["id"]: [node["html"][:160] for node in one["nodes"][:3]] for one in found if one["impact"] in GRAVE}
    if (beyond := page.evaluate(OVERFLOW)) > 0:
        faults["wider than the window, in pixels"] = beyond
    if page.viewport_size["width"] < 720 and name != "api" and (small := page.evaluate(SMALL_FIELDS)):
        faults["fields that phones zoom into"] = small[:5]
    if name != "api" and (cut := page.evaluate(CUT)):
        faults["text cut off"] = cut[:5]
    return faults


def load(page, where, received, name):
    """Load a page. Returns what is wrong with its first view: status, weight, layout shift."""
    received.clear()
    answer = page.goto(where)
    page.wait_for_load_state("networkidle")
    weight = sum(size for place, size in received.items() if "plotly" not in place)
    shift = page.evaluate("window.shifted")
    print(f"{name:24} {page.viewport_size['width']:5} {weight / 1000:4.0f} KB  shift {shift:.3f}")
    faults = {} if answer.ok else {"status": answer.status}
    if weight > MOST_BYTES and name != "api":
        faults["bytes"] = dict(received)
    if shift >= MOST_SHIFT and name != "api":
        faults["layout shift"] = shift
    return faults


def add_design(page, site):
    """The number of a design whose difficulty was measured."""
    page.goto(
        f"{site.address}/instances/designs/new/?environment=efficiency_vs_equality&name=Five+workers&set_workers=5"
    )
    page.get_by_role("button", name="Save the design").click()
    page.get_by_role("button", name="Measure its difficulty").click()
    expect(page.locator("#measurement").get_by_role("table")).to_be_visible()
    return page.url.rstrip("/").rpartition("/")[2]


def test_every_page_is_complete_and_readable(page, site, stub, session, received, complaints):
    add_house_model(page, site, stub.base_url("openai"))
    agent = page.get_by_role("link", name="Edit", exact=True).get_attribute("href").split("/")[2]
    launch_pricing(page, site, ["House model"], "Launch 1 run")
    expect(page.locator(".facts .state.finished")).to_be_visible()
    run = page.locator("a.cell").last.get_attribute("href").split("/")[2]
    design = add_design(page, site)
    site.run(PROMPT)
    people = {name: address.strip("/") + "/" for name, address in json.loads(site.run(PEOPLE)).items()}
    page.add_init_script(SHIFTS)
    faults = {}
    for number, (name, address) in enumerate(PAGES.items()):
        where = f"{site.address}/{address.format(run=run, agent=agent, instance=1, design=design, **people)}"
        loaded = False
        for size, themes in SETTINGS[:: 1 if number % 2 else -1]:
            page.set_viewport_size(size)
            here = {} if loaded else load(page, where, received, name)
            loaded = not SCREENS
            for theme in themes:
                page.emulate_media(color_scheme=theme, reduced_motion="reduce")
                page.wait_for_function(IN_THEME)
                if SCREENS:
                    take_picture(page, session, f"{name}-{size['width']}-{theme}")
                here |= faults_of(page, name)
            for width in BETWEEN if size["width"] > max(BETWEEN) else ():
                page.set_viewport_size({"width": width, "height": 900})
                if (beyond := page.evaluate(OVERFLOW)) > 0:
                    here[f"wider than a window of {width} pixels, in pixels"] = beyond
            # A page that is left aborts its requests, which htmx reports as errors.
            if told := [text for text in complaints if not text.startswith("htmx:")]:
                here["console"] = told
            if here:
                faults[f"{name} {size['width']}"] = here
            complaints.clear()
    assert not faults, json.dumps(faults, indent=1)
