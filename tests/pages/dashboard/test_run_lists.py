"""Columns and saved views of the run lists."""

import re
from urllib.parse import quote

import pytest
from django.utils.html import escape

from environments.registry import ENVIRONMENTS
from pages.dashboard.models import RunView
from pages.dashboard.services import MOST_QUERY, MOST_VIEWS, run_view_save
from runs.models import Experiment, Run
from runs.selectors.cells import environment_name, game_name
from tests.visitors import signed_in
from workspace.discussion.services.tags import tag_add
from workspace.discussion.subjects import Subject

QUERY = "state=finished&sort=-score&columns=agent&columns=score"


@pytest.fixture
def view(organization, alice):
    def save(name="Best", query=QUERY, user=alice, is_shared=False):
        values = {"organization": organization, "user": user, "query": query}
        return run_view_save(name=name, is_shared=is_shared, **values)

    return save


def headings(text):
    table = text.split('<table class="table stacked dense of-runs">')[1].split("</thead>")[0]
    cells = re.findall(r"<th.*?>(.*?)</th>", table, re.DOTALL)
    return [re.sub(r"\s+", " ", re.sub(r"<span.*|<[^>]+>", "", cell)).strip(" ?") for cell in cells]


def cells(text):
    """The number of cells of each row of the body."""
    body = text.split("<tbody>")[1].split("</tbody>")[0]
    return {row.count("<td") + row.count("<th") for row in body.split("<tr>")[1:]}


@pytest.mark.long
def test_the_address_selects_the_columns_and_every_link_keeps_them(page, played):
    experiment = played("random", seeds=(0, 1))
    everything = headings(page.get("/runs/?columns=nothing").text)
    assert everything[:4] == ["Run", "Experiment", "Agent", "Instance"] and len(everything) == 11
    chosen = page.get("/runs/?columns=score&columns=agent&text=pricing").text
    assert headings(chosen) == ["Run", "Agent", "Score"] and cells(chosen) == {3}
    assert escape("?columns=score&columns=agent&text=pricing&sort=") in chosen, "a heading that sorts keeps them"
    within = page.get(f"/experiments/{experiment.pk}/?columns=state").text
    assert headings(within) == ["Run", "State"] and 'value="experiment"' not in within
    for column in ("experiment", "instance", "findings", "periods", "calls", "tokens", "cost"):
        assert cells(page.get(f"/runs/?columns={column}").text) == {2}, column
    hidden = page.get("/runs/?columns=agent&state=running").text
    assert re.search(r'href="/runs/\?columns=agent">\s*Show all', hidden)


def test_a_column_with_equal_values_becomes_a_line_above_the_table(page, played):
    experiment = played("random", "optimum", seeds=(0, 1))
    text = page.get("/runs/").text
    assert "Experiment" not in headings(text) and "Agent" in headings(text)
    line = " ".join(re.sub(r"<[^>]+>", " ", text.split('class="same-in-all">')[1].split("</p>")[0]).split())
    assert line == f"In all rows: experiment {experiment.name} no findings 4 of 4 periods 0 calls 0 tokens in, 0 out"
    assert "Agent" in headings(page.get("/runs/?sort=agent&text=random").text), "the column of the order stays"
    assert "Agent" not in headings(page.get("/runs/?text=random").text)
    assert "same-in-all" not in page.get("/runs/?columns=agent&columns=experiment").text


def test_more_than_two_tags_of_a_row_are_one_chip(page, played, alice):
    run = played("random").runs.get()
    names = ("odd notes", "check again", "temperature 0")
    for name in names[:2]:
        tag_add(subject=Subject(run), name=name, user=alice)
    assert page.get("/runs/").text.count('class="tag colour-') == 2
    tag_add(subject=Subject(run), name=names[2], user=alice)
    text = page.get("/runs/").text
    assert "3 tags" in text and 'class="tag colour-' not in text and all(name in text for name in names)


def test_every_environment_has_a_short_name_of_its_own():
    names = [environment_name(name) for name in ENVIRONMENTS]
    assert len(set(names)) == len(names) and max(map(len, names)) <= 24
    assert (
        game_name("pricing", "HARD") == "Pricing HARD" and game_name("patience_vs_impatience", "STANDARD") == "Patience"
    )


def test_lists_use_short_names_and_find_them(page, launch):
    launched = launch("collusion-nash", environments=("collusiveness_vs_competitiveness",), difficulties=("STANDARD",))
    Experiment.objects.filter(pk=launched.pk).update(name="A market")
    for address in ("/runs/", "/experiments/", "/instances/"):
        body = page.get(address, {"text": "Collusion"}).text.split("<tbody>")[1].split("</tbody>")[0]
        words = re.sub(r"<[^>]+>", " ", body)
        assert "Collusion" in words and "versus" not in words and "STANDARD" not in words, address


@pytest.mark.long
def test_a_view_is_saved_applied_renamed_and_deleted_with_undo(page, played, alice):
    played("random")
    listed = page.get(f"/runs/?{QUERY}&page=1").text
    new = f"/runs/views/new/?{QUERY}&back={quote('/runs/', safe='')}"
    assert "Save as a view" in listed and f'href="{escape(new)}"' in listed.replace("back=/runs/", "back=%2Fruns%2F")
    form = page.get(new).text
    assert "state finished; by score, highest first; columns agent, score" in form
    assert page.post(new, {"name": " "}).status_code == 422
    answer = page.post(new, {"name": "Best runs"}, follow=True)
    assert answer.redirect_chain == [(f"/runs/?{QUERY}", 302)]
    found = RunView.objects.get()
    assert (found.query, found.user, found.is_shared) == (QUERY, alice, False)
    assert re.search(r'aria-current="true">\s*Best runs', answer.text)
    assert "You have a view of this name already." in page.post(new, {"name": "Best runs"}).text
    edit = f"/runs/views/{found.pk}/"
    assert page.post(edit, {"name": "Finished", "is_shared": "on"}).url == f"/runs/?{QUERY}"
    found.refresh_from_db()
    assert (found.name, found.is_shared) == ("Finished", True)
    deleted = page.post(f"{edit}delete/", follow=True).text
    undo = f"/deleted/view/{found.pk}/undo/"
    assert "Deleted the view Finished." in deleted and f'action="{undo}"' in deleted
    assert "No saved views yet." in deleted and page.get(edit).status_code == 404
    assert page.post(undo).url == f"/runs/?{QUERY}" and RunView.objects.exists()


@pytest.mark.long
def test_a_view_is_private_until_it_is_shared(page, viewer, stranger, join, view, launch):
    launch("random")
    private, shared = view("Private"), view("Shared", is_shared=True)
    seen = viewer.get("/runs/").text
    assert "Private" not in seen and re.search(r"Shared\s*<span class=\"faint\">of alice", seen)
    assert f"/runs/views/{shared.pk}/" not in seen, "only its maker and owners change it"
    for client in (viewer, stranger, signed_in(join("edda", "editor").user)):
        for found in (private, shared):
            assert client.get(f"/runs/views/{found.pk}/").status_code == 404
            assert client.post(f"/runs/views/{found.pk}/delete/").status_code == 404
    own = view("Hers", user=join("vic", "viewer").user, is_shared=True)
    assert page.get(f"/runs/views/{own.pk}/").status_code == 200, "an owner clears up shared views"
    assert viewer.post("/runs/views/new/?state=paused", {"name": "Mine"}).status_code == 302
    mine = RunView.objects.get(name="Mine")
    viewer.post(f"/runs/views/{mine.pk}/delete/")
    assert "Mine" in viewer.get("/deleted/").text and "Mine" not in page.get("/deleted/").text
    assert page.post(f"/deleted/view/{mine.pk}/undo/").status_code == 404
    assert viewer.post(f"/deleted/view/{mine.pk}/undo/").status_code == 302


def test_a_leaving_member_loses_private_views_and_leaves_shared_views(owner, join, view):
    from accounts.services.organizations import member_remove

    member = join("edda", "editor")
    view("Private", user=member.user), view("Shared", user=member.user, is_shared=True)
    member_remove(actor=owner, membership=member)
    assert list(RunView.objects.values_list("name", flat=True)) == ["Shared"]


def test_names_counts_and_lengths_of_views_are_limited(page, view, alice, organization):
    too_long = f"text={'x' * 150}&" + "&".join(f"columns={'y' * 40}" for _ in range(30))
    assert page.post(f"/runs/views/new/?{too_long}", {"name": "Long"}).status_code == 302, (
        "unknown columns are left out"
    )
    assert len(RunView.objects.get().query) < 200 < MOST_QUERY
    for number in range(MOST_VIEWS - 1):
        view(f"View {number}")
    assert f"at most {MOST_VIEWS} views" in page.post("/runs/views/new/?state=paused", {"name": "More"}).text
    assert page.post("/runs/views/new/?state=x&back=https://evil.example/", {"name": "B"}).status_code == 422


def test_a_view_with_a_hostile_query_is_escaped(page, view, launch):
    launch("random")
    view(query="text=%22%3E%3Cscript%3E", name="<script>alert(1)</script>", is_shared=True)
    text = page.get("/runs/").text
    assert "<script>alert" not in text and "&lt;script&gt;alert" in text
    assert Run.objects.count() == 1


def test_each_active_filter_is_a_link_that_removes_it(page, launch):
    launch("random")
    text = page.get("/runs/?state=queued&agent=random&columns=score&columns=agent").text
    for words, rest in (
        ("state queued", "agent=random&amp;columns=agent&amp;columns=score"),
        ("agent random", "state=queued&amp;columns=agent&amp;columns=score"),
        ("columns agent, score", "state=queued&amp;agent=random"),
    ):
        assert re.search(rf'href="/runs/\?{re.escape(rest)}#run-list">{words} ', text), words
    assert 'class="removable"' not in page.get("/runs/").text
