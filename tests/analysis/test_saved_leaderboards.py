"""Saved leaderboards: created, displayed with exactly their filters, changed, pinned and deleted."""

import re

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from accounts.models import AuditEntry
from analysis.base.benchmark_filters import TableFilter
from analysis.base.litmus_filters import LitmusFilter
from analysis.models import Leaderboard
from analysis.saved.kinds import KINDS
from analysis.saved.services import MOST_PINNED, leaderboard_create, leaderboard_pin


@pytest.fixture
def saved(organization, alice):
    def save(name="HARD only", kind="benchmark", **filters):
        chosen = LitmusFilter(**filters) if kind == "litmus" else TableFilter(**filters)
        return leaderboard_create(organization=organization, user=alice, kind=kind, name=name, filters=chosen)

    return save


def table(response):
    """The cells of the page's first table as text: whitespace and small print run together."""
    html = response.text
    html = html[html.index("<table") : html.index("</table>")]
    return [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in re.findall(r"<tr.*?</tr>", html, re.DOTALL)]


# Saving


def test_the_filters_of_the_page_are_saved_under_a_name(page, run_row, alice):
    run_row("house")
    form = page.get("/leaderboards/new/?kind=benchmark&environments=pricing&difficulties=HARD").text
    assert 'value="pricing" id="filter-environments_2" checked' in form.replace(' class=""', "")
    asked = {"kind": "benchmark", "name": "Hard prices", "environments": ["pricing"], "difficulties": ["HARD"]}
    response = page.post("/leaderboards/new/", asked)
    made = Leaderboard.objects.get()
    assert response["Location"] == f"/leaderboards/{made.pk}/"
    assert (made.created_by, made.filters["environments"]) == (alice, ["pricing"])
    assert AuditEntry.objects.get(action="leaderboard.saved").subject == "Hard prices"


def test_the_page_offers_to_save_its_current_filters(page, run_row):
    run_row("house")
    text = page.get("/leaderboard/?environments=pricing").text
    assert 'href="/leaderboards/new/?kind=benchmark&amp;environments=pricing"' in text
    assert 'href="/leaderboards/new/?kind=litmus&amp;rows=own"' in page.get("/litmus/?rows=own").text


def test_an_invalid_leaderboard_is_explained_and_not_saved(page, saved):
    saved()
    for asked, sentence in (
        ({"name": ""}, "Give the leaderboard a name"),
        ({"name": "HARD only"}, "has this name"),
        ({"name": "Backwards", "start": "2026-02-02", "end": "2026-01-01"}, "The last day is before the first."),
    ):
        response = page.post("/leaderboards/new/", {"kind": "benchmark"} | asked)
        assert response.status_code == 422 and sentence in response.text
    assert Leaderboard.objects.count() == 1


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if not kind.is_leaderboard])
def test_every_answer_with_public_tables_is_saved_and_shown_again(page, run_row, name):
    litmus = {"environment": "patience_vs_impatience", "difficulty": "STANDARD"}
    for agent, score in (("house", 0.5), ("other", 0.3)):
        run_row(agent, score, **litmus if name == "compare-litmus" else {})
    kind = KINDS[name]
    query = "agents=house&agents=other&scope=all"
    assert f"/leaderboards/new/?kind={name}&amp;" in page.get(f"/{kind.answer.address}?{query}").text
    asked = {"kind": name, "name": "Kept", "agents": ["house", "other"]}
    saved = page.post("/leaderboards/new/", asked)["Location"]
    text = page.get(saved).text
    assert "<h1>Kept</h1>" in text and all(kind.answer.tables[table].title in text for table in kind.answer.public)
    assert ('data-figure="/' in text) == bool(kind.answer.figure_titles)
    assert f"{reverse(f'analysis:{name}')}?" in text
    (row,) = page.get("/leaderboards/?kind=" + name).context["page"].object_list
    assert row[1] == kind.answer.title
    number = Leaderboard.objects.get().pk
    page.post(f"/leaderboards/{number}/pin/")
    assert Leaderboard.objects.get().pin is None, "only leaderboards have a place on the home page"


def test_a_comparison_is_saved_with_its_agents_only(page, run_row):
    run_row("house")
    response = page.post("/leaderboards/new/", {"kind": "compare", "name": "Kept", "agents": ["house"]})
    assert response.status_code == 422 and "Name two to 4 agents." in response.text


# Showing


@pytest.mark.long
def test_a_saved_leaderboard_ignores_filters_in_the_address(page, run_row, saved):
    run_row("hard", 0.2, name="Hard player", difficulty="HARD")
    run_row("basic", 0.9, name="Basic player")
    for name, filters in (("By column", {"difficulties": ("HARD",)}), ("By agent", {"agents": ("hard",)})):
        leaderboard = saved(name, environments=("pricing",), **filters)
        for query in ("", "?difficulties=BASIC&environments=procurement&rows=published&agents=basic"):
            text = "\n".join(table(page.get(f"/leaderboards/{leaderboard.pk}/{query}")))
            assert "Hard player" in text and "Basic player" not in text and "GPT-5" in text


def test_rows_of_a_saved_leaderboard_can_be_sorted_and_its_cells_link_to_runs(page, run_row, saved):
    run = run_row("a", 0.1, name="Abel", periods=7)
    run_row("b", 0.9, name="Cain", periods=7)
    leaderboard = saved(rows=("own",), periods=7)
    assert [row.split()[0] for row in table(page.get(f"/leaderboards/{leaderboard.pk}/"))[2:]] == ["Cain", "Abel"]
    sorted_ = page.get(f"/leaderboards/{leaderboard.pk}/?sort=agent")
    assert [row.split()[0] for row in table(sorted_)[2:]] == ["Abel", "Cain"]
    assert 'href="?sort=-agent"' in sorted_.text, "the address holds only the order"
    cell = re.search(r'href="(/leaderboard/cell/[^"]+)"', sorted_.text)[1].replace("&amp;", "&")
    assert f'href="/runs/{run.pk}/"' in page.get(cell).text


def test_published_rows_and_unfinished_runs_are_visible_but_enter_no_mean(page, run_row, saved):
    """Also where another run of the same instance finished, and whatever score its row holds."""
    run_row("gpt", 0.75, name="GPT-5", seed=0)
    run_row("gpt", 0.01, name="GPT-5", seed=0, state="stalled")
    run_row("gpt", 0.01, name="GPT-5", seed=1, state="stalled")
    leaderboard = saved(environments=("pricing",), difficulties=("BASIC",))
    response = page.get(f"/leaderboards/{leaderboard.pk}/")
    rows = [row for row in table(response) if row.startswith("GPT-5 ")]
    (own,) = [row for row in rows if "published" not in row]
    assert len(rows) == 2 and "75.0" in own and "1 of 2" in own
    text = response.text
    assert "left out: 2 runs without a score" in text and "1 of 2 instances complete" in text


@pytest.mark.long
def test_a_litmus_leaderboard_shows_its_table_and_charts(page, run_row, saved):
    leaderboard = saved("Litmus", "litmus", rows=("published",))
    text = page.get(f"/leaderboards/{leaderboard.pk}/").text
    assert "Choices of more money later" in text and "GPT-4.1" in text
    assert '<span class="tag">baseline</span>' not in text


# Changing


@pytest.mark.long
def test_a_saved_leaderboard_is_copied_renamed_and_filtered_again(page, saved):
    leaderboard = saved(difficulties=("HARD",))
    leaderboard_pin(leaderboard=leaderboard, pinned=True)
    for name in ("HARD only (copy)", "HARD only (copy 2)"):
        page.post(f"/leaderboards/{leaderboard.pk}/duplicate/")
        copy = Leaderboard.objects.get(name=name)
        assert (copy.filters, copy.pin) == (leaderboard.filters, None)
    shown = page.get(f"/leaderboards/{leaderboard.pk}/change/").text
    assert 'value="HARD only"' in shown
    asked = {"name": "BASIC only", "description": "Easy ones.", "difficulties": ["BASIC"]}
    assert page.post(f"/leaderboards/{leaderboard.pk}/change/", asked).status_code == 302
    leaderboard.refresh_from_db()
    assert (leaderboard.name, leaderboard.description, leaderboard.filters["difficulties"]) == (
        "BASIC only",
        "Easy ones.",
        ["BASIC"],
    )
    assert AuditEntry.objects.get(action="leaderboard.changed").subject == "HARD only → BASIC only"


def test_saving_an_unchanged_form_changes_nothing(page, run_row, saved):
    run_row("house")
    leaderboard = saved(periods=7, agents=("house", "gone"), sort="agent")
    before = leaderboard.filters
    html = page.get(f"/leaderboards/{leaderboard.pk}/change/").text
    form = html[html.index('class="panel board-form"') :]
    posted = {}
    for tag in re.findall(r"<input[^>]+>", form):
        name, value = re.search(r'name="([^"]+)"', tag), re.search(r'value="([^"]*)"', tag)
        if name and value and ("checkbox" not in tag or "checked" in tag):
            posted.setdefault(name[1], []).append(value[1])
    for name, options in re.findall(r'<select name="([^"]+)".*?>(.*?)</select>', form, re.DOTALL):
        posted[name] = re.findall(r'value="([^"]*)" selected', options)
    assert page.post(f"/leaderboards/{leaderboard.pk}/change/", posted).status_code == 302
    leaderboard.refresh_from_db()
    plain, old = (
        {k: sorted(v) if isinstance(v, list) else v for k, v in f.items()} for f in (leaderboard.filters, before)
    )
    assert plain == old


def test_deleting_asks_first_keeps_the_runs_and_is_in_the_audit_log(page, run_row, saved):
    run = run_row("house")
    leaderboard = saved()
    assert "Delete this saved page?" in page.get(f"/leaderboards/{leaderboard.pk}/").text
    assert page.post(f"/leaderboards/{leaderboard.pk}/delete/")["Location"] == "/leaderboards/"
    assert page.get(f"/leaderboards/{leaderboard.pk}/").status_code == 404
    assert type(run).objects.filter(pk=run.pk).exists()
    assert AuditEntry.objects.get(action="leaderboard.deleted").subject == "HARD only"


# Pinning


@pytest.mark.long
def test_pinned_leaderboards_appear_on_the_home_page_in_their_order(page, run_row, saved):
    run_row("house", 0.5, name="House model")
    leaderboards = [saved(name, rows=("own",)) for name in ("First", "Second", "Third")]
    for leaderboard in leaderboards[:2]:
        page.post(f"/leaderboards/{leaderboard.pk}/pin/")
    assert 'hx-get="/leaderboards/pinned/"' in page.get("/").text
    text = page.get("/leaderboards/pinned/").text
    assert text.index("First") < text.index("Second") and "Third" not in text and "House model" in text
    page.post(f"/leaderboards/{leaderboards[1].pk}/up/")
    text = page.get("/leaderboards/pinned/").text
    assert text.index("Second") < text.index("First")
    page.post(f"/leaderboards/{leaderboards[1].pk}/unpin/")
    assert "Second" not in page.get("/leaderboards/pinned/").text


def test_the_number_of_pinned_leaderboards_is_limited(saved, page):
    for number in range(MOST_PINNED):
        leaderboard_pin(leaderboard=saved(f"Leaderboard {number}"), pinned=True)
    one_more = saved("One more")
    with pytest.raises(ValidationError):
        leaderboard_pin(leaderboard=one_more, pinned=True)
    response = page.post(f"/leaderboards/{one_more.pk}/pin/", follow=True)
    assert "Unpin another one first" in response.text


# The list, and who may


def test_the_list_is_searched_by_name_and_kind(page, saved):
    assert "No saved leaderboards yet" in page.get("/leaderboards/").text
    saved("Hard ones")
    saved("Character", "litmus")
    assert "Hard ones" in page.get("/leaderboards/?text=hard").text
    assert "Hard ones" not in page.get("/leaderboards/?kind=litmus").text
    assert "No leaderboards match" in page.get("/leaderboards/?text=nothing").text


@pytest.mark.long
def test_the_query_count_of_saved_leaderboards_does_not_grow(page, run_row, saved, django_assert_num_queries):
    for seed in range(4):
        run_row(f"agent-{seed}", seed=seed)
    leaderboards = [saved(f"Leaderboard {number}") for number in range(4)]
    for leaderboard in leaderboards[:2]:
        leaderboard_pin(leaderboard=leaderboard, pinned=True)
    for address, queries in {"": 7, f"{leaderboards[0].pk}/": 12, "pinned/": 9}.items():
        with django_assert_num_queries(queries):
            assert page.get(f"/leaderboards/{address}").status_code == 200
