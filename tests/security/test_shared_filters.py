"""Visitors of a share link see what its frozen filter shows, whatever they write into the address."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from django.test import Client

from tests.inout.conftest import stored  # noqa: F401
from tests.inout.published_log import write_log
from tests.sharing.conftest import board, link, owner, played  # noqa: F401

pytestmark = pytest.mark.django_db

CELL = {"environment": "pricing", "difficulty": "BASIC"}
WIDER = {
    "rows": ["own", "baseline", "imported", "published"],
    "environments": ["procurement", "scheduling", "pricing"],
    "difficulties": ["BASIC", "MEDIUM", "HARD"],
    "generator": ["paper_text"],
    "variant": ["main"],
    "periods": ["3", "2", "1"],
    "agents": ["random", "optimum"],
    "start": ["2000-01-01"],
    "end": ["2100-01-01"],
    "scope": ["all"],
    "tag": [""],
    "experiment": ["1"],
    "comments": ["all"],
    "text": ["a"],
    "tab": ["raw"],
    "page": ["2"],
    "figure": ["strip.pricing"],
    "with_notes": ["1"],
}
"""Every filter of the members' pages, and parameters that mean something elsewhere."""


@pytest.fixture
def imported(stored, tmp_path):  # noqa: F811
    """The agent of a run that was played elsewhere."""
    write_log(tmp_path, "pricing", name="one")
    return stored().experiment.runs.get().agent


def test_the_cell_of_an_imported_agent_is_absent_where_the_table_leaves_imported_runs_out(imported, board, link):  # noqa: F811
    asked = urlencode(CELL | {"agent": imported.slug})
    without, with_imported = link(board()), link(board(name="All", rows=("own", "imported")))
    never_made = Client().get(f"{without}cell/?{urlencode(CELL | {'agent': 'no-such-agent'})}")
    for address in (f"{without}cell/?{asked}", f"{without}cell/?{asked}&rows=imported"):
        response = Client().get(address)
        assert (response.status_code, response.content) == (404, never_made.content)
    assert imported.name in Client().get(f"{with_imported}cell/?{asked}").content.decode()
    assert f"{with_imported}cell/?" in Client().get(with_imported).content.decode()


def test_members_reach_the_runs_of_an_imported_cell_from_the_table(imported, alice):
    browser = Client()
    browser.force_login(alice)
    text = browser.get("/leaderboard/?rows=own&rows=imported").content.decode().replace("&amp;", "&")
    address = f"/leaderboard/cell/?{urlencode({'agent': imported.slug} | CELL)}"
    assert address in text
    followed = browser.get(text[text.index(address) :].split('"')[0])
    assert len(followed.context["page"].object_list) == 1


def test_nothing_in_the_address_widens_a_shared_page(played, board, link, imported):  # noqa: F811
    experiment = played(seeds=(0, 1))
    table = board(environments=("procurement",), periods=3, agents=("house",), rows=("own",))
    litmus = board(name="Litmus", kind="litmus", agents=("house",), rows=("own",))
    cell = "cell/?agent=house&environment=procurement&difficulty=BASIC"
    pages = {
        link(table): ("", "embed/", "strip.json", "strip.procurement.json", cell),
        link(litmus): ("", "embed/", "pareto.json", "markets.json", "patience.json", "names.json"),
        link(experiment): ("", "embed/", "runs/1/", "runs/1/chart.json"),
        link(experiment, with_notes=True): ("runs/1/notes/", "runs/1/periods/0/"),
        link(experiment.runs.first()): ("", "embed/", "runs/1/chart.json"),
    }
    for path, inner in pages.items():
        for one in inner:
            plain = Client().get(path + one)
            asked = Client().get(f"{path}{one}{'&' if '?' in one else '?'}{urlencode(WIDER, doseq=True)}")
            assert plain.status_code == asked.status_code == 200, one
            assert plain.content == asked.content, one


def test_a_link_to_one_figure_takes_nothing_at_all_from_the_address(played, board, link):  # noqa: F811
    played("efficiency_vs_equality", seeds=(0, 1))
    path = link(board(name="Litmus", kind="litmus", scope="all"), figure="pareto")
    plain = Client().get(f"{path}pareto.json")
    assert len(plain.json()["data"]) > 1
    for view in ({"seed": "1"}, {"agent": "house"}, {"sort": "-agent", "chart": "pricing"}):
        assert Client().get(f"{path}pareto.json?{urlencode(view)}").content == plain.content, view
