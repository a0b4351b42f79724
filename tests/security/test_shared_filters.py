"""Visitors of a share link see what its stored filter selects, for every parameter in the address."""

import json
import re
from urllib.parse import urlencode

import pytest

from tests.running_site import Browser, running_site

pytestmark = pytest.mark.long
FURNISH = """
import json, pathlib, tempfile
from accounts.models import Organization
from analysis.base.benchmark_filters import TableFilter
from analysis.base.litmus_filters import LitmusFilter
from analysis.saved.services import leaderboard_create
from workspace.transfer.reading.sources import opened
from workspace.transfer.services.imports import import_store
from sharing.services import share_link_create
from tests.workspace.transfer.published_log import write_log
from tests.security.played_site import play

organization = Organization.objects.get()
owner = organization.memberships.get(role="owner")
with tempfile.TemporaryDirectory() as name:
    write_log(pathlib.Path(name), "pricing", name="one")
    with opened(pathlib.Path(name)) as source:
        imported = import_store(organization=organization, user=owner.user, source=source).experiment.runs.get().agent
experiment = play("procurement", seeds=(0, 1), periods=3)
play("efficiency_vs_equality", seeds=(0, 1), periods=3, difficulties=("STANDARD",), agent="equality-greedy-efficiency")

def link(target, **options):
    return "/s/" + share_link_create(actor=owner, target=target, lasts="7", **options)[1] + "/"

def leaderboard(kind, name, **filters):
    chosen = LitmusFilter(**filters) if kind == "litmus" else TableFilter(**filters)
    return leaderboard_create(organization=organization, user=owner.user, kind=kind, name=name, filters=chosen)

print(json.dumps({
    "imported": [imported.slug, imported.name],
    "own": link(leaderboard("benchmark", "Own", rows=("own",))),
    "all": link(leaderboard("benchmark", "All", rows=("own", "imported"))),
    "table": link(leaderboard(
        "benchmark", "Narrow", environments=("procurement",), periods=3, agents=("random",), rows=("baseline",)
    )),
    "litmus": link(leaderboard("litmus", "Litmus", rows=("baseline",))),
    "pareto": link(leaderboard("litmus", "Pareto", scope="all"), figure="pareto"),
    "experiment": link(experiment),
    "notes": link(experiment, with_notes=True),
    "run": link(experiment.runs.first()),
}))
"""
CELL = {"environment": "pricing", "difficulty": "BASIC"}
WIDER = (
    "rows=own&rows=baseline&rows=imported&rows=published&environments=procurement&environments=scheduling"
    "&environments=pricing&difficulties=BASIC&difficulties=MEDIUM&difficulties=HARD&generator=paper_text&variant=main"
    "&periods=3&periods=2&periods=1&agents=random&agents=optimum&start=2000-01-01&end=2100-01-01&scope=all&tag="
    "&experiment=1&comments=all&text=a&tab=raw&page=2&figure=strip.pricing&with_notes=1"
)
"""Every filter of the members' pages, and parameters that mean something elsewhere."""


class Shared:
    """The paths of links by name, and the slug and name of the agent of a run that was played elsewhere."""

    def __init__(self, site):
        self.site = site
        self.links = json.loads(site.run(FURNISH).splitlines()[-1])
        self.imported = self.links.pop("imported")

    def get(self, path):
        return Browser(self.site.address).open(path)


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with running_site(tmp_path_factory.mktemp("site")) as site:
        yield Shared(site)


def test_the_cell_of_an_imported_agent_gives_404_if_the_table_excludes_imports(shared):
    slug, name = shared.imported
    asked = urlencode(CELL | {"agent": slug})
    never_made = shared.get(f"{shared.links['own']}cell/?{urlencode(CELL | {'agent': 'no-such-agent'})}")
    for address in (f"{shared.links['own']}cell/?{asked}", f"{shared.links['own']}cell/?{asked}&rows=imported"):
        response = shared.get(address)
        assert (response.status_code, response.content) == (404, never_made.content)
    assert name in shared.get(f"{shared.links['all']}cell/?{asked}").text
    assert f"{shared.links['all']}cell/?" in shared.get(shared.links["all"]).text


def test_members_reach_the_runs_of_an_imported_cell_from_the_table(shared):
    slug, _ = shared.imported
    browser = shared.site.browser()
    text = browser.open("/leaderboard/?rows=own&rows=imported").text.replace("&amp;", "&")
    address = f"/leaderboard/cell/?{urlencode({'agent': slug} | CELL)}"
    assert address in text
    cell = browser.open(text[text.index(address) :].split('"')[0]).text
    assert len(set(re.findall(r'href="/runs/(\d+)/"', cell))) == 1


def test_address_parameters_do_not_widen_a_shared_page(shared):
    cell = "cell/?agent=random&environment=procurement&difficulty=BASIC"
    pages = {
        "table": ("", "embed/", "strip.json", "strip.procurement.json", cell),
        "litmus": ("", "embed/", "pareto.json", "markets.json", "patience.json", "names.json"),
        "experiment": ("", "embed/", "runs/1/", "runs/1/chart.json"),
        "notes": ("runs/1/notes/", "runs/1/periods/0/"),
        "run": ("", "embed/", "runs/1/chart.json"),
    }
    for link, inner in pages.items():
        for one in inner:
            path = shared.links[link] + one
            plain = shared.get(path)
            asked = shared.get(f"{path}{'&' if '?' in one else '?'}{WIDER}")
            assert plain.status_code == asked.status_code == 200, (link, one)
            assert plain.content == asked.content, (link, one)


def test_a_link_to_a_figure_ignores_address_parameters(shared):
    plain = shared.get(f"{shared.links['pareto']}pareto.json")
    assert len(plain.json()["data"]) > 1
    for view in ({"seed": "1"}, {"agent": "random"}, {"sort": "-agent", "chart": "pricing"}):
        assert shared.get(f"{shared.links['pareto']}pareto.json?{urlencode(view)}").content == plain.content, view
