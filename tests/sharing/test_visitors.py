"""A visitor with a link sees what it covers, and nothing else."""

import re
from itertools import product

import pytest
from django.core.management.color import no_style
from django.db import connection
from django.test import Client

from analysis.saved.kinds import KINDS
from analysis.saved.services import leaderboard_create
from games.registry import parts_of
from runs.models import Agent, Experiment, Run
from sharing.models import ShareLink
from tests.layout import check_markup
from tests.security.site_map import every_route
from tests.sharing.conftest import BASELINE, NOTES, SECRETS
from tests.sharing.matrix import LINK_ROWS, LINKS
from tests.sharing.walking import EMBEDDED, everything_behind

PAGES_OF_THE_API = {"mcp": 405, "api/v1/": 404, "api/v1/docs": 200, "api/v1/openapi.json": 200}
"""What it answers without a token; the rest wants one."""


@pytest.fixture
def links(played, leaderboard, study, link, rival):
    """A path for each kind of link."""
    experiment = played(seeds=(0, 1))
    table = leaderboard(environments=("procurement", "pricing"), periods=3, agents=("house",))
    analysis = study(experiment)
    paths = {
        "experiment with notes": link(experiment, with_notes=True),
        "experiment": link(experiment),
        "run": link(experiment.runs.first()),
        "leaderboard": link(table),
        "figure": link(table, figure="strip.procurement"),
        "analysis with notes": link(analysis, with_notes=True),
        "analysis": link(analysis),
        "revoked": link(experiment, with_notes=True),
    }
    last = ShareLink.objects.latest("id")
    ShareLink.objects.filter(pk=last.pk).update(revoked_at=last.created_at)
    return paths


@pytest.mark.long
def test_each_link_answers_as_the_table_says(links):
    answer = lambda path: str(Client().get(path).status_code)  # noqa: E731
    assert {inner: " ".join(answer(links[kind] + inner) for kind in LINKS) for inner in LINK_ROWS} == LINK_ROWS


@pytest.mark.long
def test_a_browser_with_a_link_sees_no_other_page_of_the_site(links, rival):
    """Every other address still leads to the log-in, with whatever the browser was given by the pages of the link.

    The API leads nowhere: it wants a token. Its description and the guides are for everybody.
    """
    browser = Client()
    for path in links.values():
        browser.get(path)
    assert not browser.cookies
    run = rival.runs.first()
    ids = {
        "run_id": run.pk,
        "experiment_id": rival.pk,
        "agent_id": run.agent_id,
        "leaderboard_id": ShareLink.objects.exclude(leaderboard=None)[0].leaderboard_id,
    }
    asked = 0
    for route in every_route():
        if route.startswith(("s/", "account", "login", "logout", "invitations", "organization")) or "(?P" in route:
            continue
        # Guides and open galleries are for everybody; links of participants let in by themselves.
        if route.startswith(("docs/", "methodology/", "p/", "results/")):
            continue
        address = "/" + re.sub(r"<(\w+:)?(\w+)>", lambda match: str(ids.get(match[2], 1)), route)
        response = browser.get(address)
        if route in PAGES_OF_THE_API:
            assert response.status_code == PAGES_OF_THE_API[route], address
        elif route.startswith("api/v1/"):
            # 405 where there is nothing to read.
            assert response.status_code in (401, 405), address
        else:
            assert (response.status_code, response["Location"].split("?")[0]) == (302, "/login/"), address
        asked += 1
    assert asked > 40


@pytest.mark.long
def test_visitors_read_the_meaning_of_scores(links):
    page = Client().get(links["leaderboard"]).text
    assert page.count("100 means") == 2, "one for each environment of the table"
    for kind in ("experiment", "run"):
        assert "its best plan supports as many workers" in Client().get(links[kind]).text


@pytest.mark.long
def test_no_shared_page_contains_a_secret_and_notes_appear_only_if_shared(links):
    for kind in LINKS[:-1]:
        pages = everything_behind(links[kind], *EMBEDDED)
        with_notes = kind.endswith("with notes")
        hidden = SECRETS if with_notes else SECRETS | NOTES
        shown = NOTES if kind.startswith("experiment") else {"note": NOTES["note"]}
        assert not [(name, address) for address, text in pages.items() for name, word in hidden.items() if word in text]
        assert not with_notes or all(word in "".join(pages.values()) for word in shown.values())


@pytest.mark.long
@pytest.mark.parametrize("game", BASELINE)
def test_no_shared_page_shows_hidden_values_of_a_game(played, link, game):
    experiment = played(game)
    run = experiment.runs.select_related("instance").get()
    truth = [f"<h3>{section.title}</h3>" for section in parts_of(game).presenter.hidden(run.instance) if section.title]
    assert truth
    for path in (link(experiment, with_notes=True), link(experiment), link(run)):
        for address, text in everything_behind(path, *EMBEDDED).items():
            assert not [title for title in truth if title in text], address
            assert not [name for name, word in SECRETS.items() if word in text], address


@pytest.mark.long
def test_no_shared_page_contains_database_ids(played, link, leaderboard, study, organization):
    """Runs have numbers within their experiment or analysis; leaderboards and experiments have none at all."""
    Experiment.objects.create(pk=880_001, organization=organization, name="before", spec={})
    agent = Agent.objects.create(pk=880_002, organization=organization, slug="before", name="before")
    experiment = played(seeds=(5,))
    values = Run.objects.filter(experiment=experiment).values("instance_id", "prompt_version", "config", "periods")[0]
    Run.objects.create(pk=880_003, organization=organization, experiment_id=880_001, agent=agent, **values)
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), [Experiment, Agent, Run]):
            cursor.execute(statement)  # PostgreSQL does not count on from a number that was given
    experiment = played(seeds=(0, 1))
    table = leaderboard(environments=("procurement",), periods=3)
    ids = {str(experiment.pk), *(str(one) for run in experiment.runs.all() for one in (run.pk, run.agent_id))}
    assert all(len(one) == 6 for one in ids)
    analysis = link(study(experiment), with_notes=True)
    for path in (link(experiment, with_notes=True), link(table), link(experiment.runs.first()), analysis):
        for address, text in everything_behind(path, *EMBEDDED).items():
            assert not [one for one in ids if one in text], address


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if not kind.is_leaderboard])
def test_a_link_to_a_saved_answer_shows_its_public_tables_and_leads_to_no_run(played, organization, owner, link, name):
    game = "patience_vs_impatience" if name == "compare-litmus" else "procurement"
    played(game)
    others = played(game)
    Agent.objects.filter(slug="house").update(release_date="2026-01-31")
    second = Agent.objects.create(organization=organization, slug="second", name="Second model", model="x")
    others.runs.update(agent=second, score=0.25)
    chosen = {"scope": "all"} if game.startswith("patience") else {"environments": (game,), "periods": 3}
    answer = KINDS[name].answer
    run_filter = answer.filter_class(agents=("house", "second"), **chosen)
    saved = leaderboard_create(organization=organization, user=owner.user, kind=name, name="Saved", filters=run_filter)
    path = link(saved)
    pages = everything_behind(path, *EMBEDDED)
    assert {f"<h2>{answer.tables[table].title}</h2>" in pages[path] for table in answer.public} == {True}
    text, figures = "".join(pages.values()), [*answer.figure_titles][:1]
    assert all(f"{path}{figure}.json" in "".join(pages) for figure in figures)
    # An agent that played under one condition is not compared.
    assert "House model" in text or name == "conditions"
    assert not [
        word for word in (*SECRETS.values(), *NOTES.values(), "/runs/", "/compare/", "/agents/") if word in text
    ]
    for hidden in ("cell/?agent=house&environment=procurement&difficulty=BASIC", "metric.json?metric=missing_plans"):
        assert Client().get(path + hidden).status_code == 404
    titles = KINDS[name].figure_titles(run_filter)
    assert all(titles[figure] in Client().get(link(saved, figure=figure)).text for figure in figures)


@pytest.mark.long
def test_a_shared_table_ignores_filters_in_the_address_and_links_to_no_run(links):
    path = links["leaderboard"]
    text = Client().get(f"{path}?agents=canary-rival&environments=pricing&periods=2").text
    assert "House model" in text and SECRETS["other run"] not in text
    assert "Procurement" in text
    text = Client().get(path + "cell/?agent=house&environment=procurement&difficulty=BASIC").text
    assert "seed 0" in text and "seed 1" in text and "/runs/" not in text
    figure = Client().get(path + "strip.procurement.json").json()
    assert {link for trace in figure["data"] for link in trace.get("customdata", ())} == {""}


@pytest.mark.long
def test_visitors_of_an_analysis_read_notes_only_if_the_link_allows_it(links):
    quiet, loud = (Client().get(links[kind]).text for kind in ("analysis", "analysis with notes"))
    for text in (quiet, loud):
        assert "House model" in text and "Second writer" in text and "Reasoning about preferences" in text
        assert "embedding model" in text and "/runs/" not in text and "/notes/" not in text
        assert text.count("<rect") > 4, "the shares of the agents"
    assert "House model stands out most in cluster 1: 100 %" in quiet and "Cluster 2" in quiet
    assert "stands out most in the cluster “canary-note, drift”" in loud and "Run 1, period 0" in loud
    assert "W1 prefers T1 &gt; T2" in loud and "&gt; T2" not in quiet and "Paragraphs nearest" not in quiet
    assert re.search(r'<td class="num">\s*3\s*</td>', quiet), "the longest list is a number"
    figures = [Client().get(f"{links[kind]}map.json") for kind in ("analysis", "analysis with notes")]
    assert figures[0].content == figures[1].content
    traces = figures[0].json()["data"]
    assert traces[0]["hovertext"][0] == "House model, run 1, period 0"
    assert {target for trace in traces for target in trace["customdata"]} == {""}


@pytest.mark.long
def test_hostile_notes_are_escaped_on_the_shared_page_of_an_analysis(experiment, study, link):
    hostile = "<script>alert(1)</script><img src=x onerror=alert(2)> {{ x }}"
    analysis = study(experiment, text=hostile, label=hostile, name=hostile, model="")
    for path in (link(analysis, with_notes=True), link(analysis), link(analysis, figure="map")):
        for inner in ("", "embed/"):
            text = Client().get(path + inner).text
            check_markup(text)
            assert "<script>alert" not in text and "<img" not in text and "&lt;script&gt;alert(1)" in text
    assert "{{ x }}" in Client().get(link(analysis, with_notes=True)).text


@pytest.mark.long
def test_shared_pages_send_no_referrer_are_not_cached_and_are_equal_for_members(member, links):
    for kind, inner in product(LINKS[:-1], ("", "embed/")):
        response = Client().get(links[kind] + inner)
        assert response["Referrer-Policy"] == "no-referrer"
        assert response["Cache-Control"] == "private, no-store"
        assert response["X-Robots-Tag"] == "noindex"
        assert not re.search(r'(?:src|href)="(?:https?:)?//', response.text)
        check_markup(response.text)
        assert member.get(links[kind] + inner).content == response.content


@pytest.mark.long
def test_only_the_embedded_page_may_be_framed_and_has_two_themes(links):
    without = re.compile(r"frame-ancestors [^;]+")
    for kind, path in links.items():
        page, framed = Client().get(path), Client().get(f"{path}embed/?theme=dark")
        assert page["X-Frame-Options"] == "DENY" and "frame-ancestors 'none'" in page["Content-Security-Policy"]
        assert "X-Frame-Options" not in framed and "frame-ancestors *" in framed["Content-Security-Policy"]
        policies = [sorted(without.sub("", r["Content-Security-Policy"]).split("; ")) for r in (page, framed)]
        assert policies[0] == policies[1]
        assert kind == "revoked" or 'data-theme="dark"' in framed.text
    assert "data-theme=" not in Client().get(f'{links["figure"]}embed/?theme="><script>').text.split(">", 2)[1]


QUERIES = {"experiment": 4, "run": 3, "leaderboard": 5, "figure": 2, "analysis": 4}
"""The link with what it shows, the view counted, and the runs of a table and which agents were played in several ways, or
the runs of an experiment and their groups, or the findings of a run, or the colours of the agents of an analysis and the
runs that are left."""


@pytest.mark.long
def test_shared_pages_list_and_dialog_take_few_queries(member, links, django_assert_num_queries):
    for kind, queries in QUERIES.items():
        with django_assert_num_queries(queries):
            Client().get(links[kind])
    with django_assert_num_queries(7):
        member.get("/share/")
    row = ShareLink.objects.order_by("id").first()
    with django_assert_num_queries(5):
        member.get(f"/share/experiment/{row.experiment_id}/", headers={"HX-Request": "true"})
