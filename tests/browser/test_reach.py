"""axe-core finds nothing serious on any page, in either theme."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.running_site import running_site

pytestmark = [pytest.mark.browser, pytest.mark.long]

PAGES = (
    *("", "go/?q=a", "go/?q=zzz", "experiments/", "experiments/1/", "experiments/new/", "experiments/import/"),
    *("runs/", "runs/1/"),
    *("leaderboard/", "litmus/", "compare/?agents=random&agents=optimum", "compare/runs/?runs=1&runs=2", "trends/"),
    *("mechanisms/", "findings/", "notes/", "notes/new/", "search/?q=plan", "agents/", "agents/new/", "agents/random/"),
    *("spend/", "ledger/", "share/", "account/", "organization/", "organization/webhooks/", "organization/audit/"),
    *("docs/", "docs/commands/", "api/v1/docs"),
)
GRAVE = {"serious", "critical"}
OF_SWAGGER = ("nested-interactive",)
"""What the library that shows the API documentation does in its own elements."""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site of its own, since other tests leave other things on theirs each time."""
    with running_site(tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious_on_any_page(page, site, theme):
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    found = {}
    for path in PAGES:
        assert page.goto(f"{site.address}/{path}").ok, path
        page.wait_for_load_state("networkidle")
        left_out = OF_SWAGGER if path == "api/v1/docs" else ()
        rules = {name: {"enabled": False} for name in left_out}
        found_here = Axe().run(page, options={"resultTypes": ["violations"], "rules": rules}).response["violations"]
        violations = [one for one in found_here if one["impact"] in GRAVE]
        if violations:
            found[path] = {one["id"]: [node["html"][:160] for node in one["nodes"][:3]] for one in violations}
    assert not found
