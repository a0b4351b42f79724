"""Visitors of an open gallery see what its owner has chosen, and nothing else."""

import re

import pytest
from django.test import Client

from accounts.models import Organization
from sharing.gallery.models import Gallery
from sharing.kinds import KINDS
from sharing.views import visits
from tests.layout import check_markup
from tests.sharing.conftest import NOTES, SECRETS
from tests.sharing.walking import everything_behind

OWN = ("picture.png", "picture.png?theme=dark", "citation.bib")


def answer_to(path):
    response = Client().get(path)
    return response.status_code, response.content, dict(response.items())


def content_of(page, name):
    """The content of a meta tag."""
    return re.search(rf'<meta (?:name|property)="{name}" content="([^"]*)">', page)[1]


def test_a_site_without_an_open_gallery_says_that_nothing_is_published(db):
    response = Client().get("/results/")
    assert response.status_code == 200 and "Nothing is published." in response.text
    check_markup(response.text)


def test_the_only_open_gallery_is_at_results_and_several_are_listed(gallery, leaderboard):
    path = gallery(leaderboard())
    assert Client().get("/results/")["Location"] == path
    other = Organization.objects.create(name="Second Lab", slug="second-lab")
    second = Gallery.objects.create(organization=other, title="Other results", slug="other")
    assert Client().get("/results/")["Location"] == path, "a closed gallery is not counted"
    Gallery.objects.filter(pk=second.pk).update(opened_at="2026-01-01T00:00Z")
    text = Client().get("/results/").text
    assert "Other results" in text and "Shown results" in text and f'href="{path}"' in text


def test_a_closed_gallery_answers_at_every_address_as_an_unknown_one(member, gallery, leaderboard):
    path = gallery(leaderboard("Shared table"))
    inner = ("", *OWN, "shared-table/", "shared-table/picture.png", "shared-table/strip.procurement.json", "nothing/")
    opened = {name: Client().get(path + name).status_code for name in inner}
    assert opened == dict.fromkeys(inner, 200) | {"nothing/": 404}
    tag = Client().get(f"{path}picture.png")["ETag"]
    member.post("/organization/gallery/close/")
    for name in inner:
        closed = answer_to(path + name)
        assert closed[0] == 404 and closed == answer_to(f"/results/made-up/{name}")
        assert closed[2]["Cache-Control"] == "private, no-store"
    assert Client().get(f"{path}picture.png", headers={"If-None-Match": tag}).status_code == 404
    assert "Nothing is published." in Client().get("/results/").text


def test_browsers_ask_again_for_each_page_and_get_a_picture_only_once(gallery, leaderboard):
    path = gallery(leaderboard("Shared table"))
    for inner in ("", "shared-table/", "picture.png", "shared-table/picture.png", "citation.bib"):
        response = Client().get(path + inner)
        assert response["Cache-Control"] == "public, no-cache" and response["Referrer-Policy"] == "no-referrer"
        assert not response.cookies
    kept = {"If-None-Match": Client().get(f"{path}shared-table/picture.png")["ETag"]}
    again = Client().get(f"{path}shared-table/picture.png", headers=kept)
    assert again.status_code == 304 and not again.content and again["Cache-Control"] == "public, no-cache"


@pytest.mark.long
def test_no_page_of_a_gallery_contains_a_secret_and_notes_appear_only_if_chosen(
    played, leaderboard, gallery, rival, organization
):
    experiment, quiet = played(seeds=(0, 1)), played()
    table = leaderboard(environments=("procurement", "pricing"), periods=3, agents=("house",))
    targets = (table, experiment, experiment.runs.first(), quiet)
    path = gallery(*targets, notes=(experiment,), text="We ran **one** model.", authors="Ada Author")
    pages = everything_behind(path, *OWN)
    assert len(pages) > 20 and sum("picture.png" in address for address in pages) == 10
    assert not [(name, where) for where, text in pages.items() for name, word in SECRETS.items() if word in text]
    loud = {where for where, text in pages.items() for word in NOTES.values() if word in text}
    slug = organization.gallery.entries.get(experiment=experiment).slug
    assert loud and all(where.startswith(f"{path}{slug}/") for where in loud)
    front = pages[path]
    assert "<strong>one</strong>" in front and "Ada Author" in front and "A caption" in front


@pytest.mark.long
def test_pictures_show_what_visitors_see_and_no_secret(played, leaderboard, gallery, rival):
    """The texts of a picture are those of its card, since programs cannot read a picture."""
    experiment = played(seeds=(0, 1))
    table = leaderboard(environments=("procurement",), periods=3, agents=("house",))
    path = gallery(table, experiment, experiment.runs.first())
    for entry in Gallery.objects.get().entries.all():
        kind = KINDS[entry.target_kind]
        card = kind.card(kind.show(entry.target, entry, path, {}, False))
        assert "House model" in repr(card) and not [
            word for word in {**SECRETS, **NOTES}.values() if word in repr(card)
        ]


def test_a_deleted_thing_leaves_the_gallery_until_its_deletion_is_undone(member, gallery, leaderboard, experiment):
    table = leaderboard("Shared table")
    path = gallery(table, experiment)
    member.post(f"/leaderboards/{table.pk}/delete/")
    member.get("/")  # shows the message about the deletion
    for client, where in ((Client(), path), (member, "/organization/gallery/")):
        assert "Shared table" not in client.get(where).text
    assert {Client().get(f"{path}shared-table/{inner}").status_code for inner in ("", "picture.png")} == {404}
    member.post(f"/deleted/leaderboard/{table.pk}/undo/")
    assert Client().get(f"{path}shared-table/").status_code == 200
    member.post(f"/experiments/{experiment.pk}/delete/")
    member.post(f"/deleted/experiment/{experiment.pk}/remove/")
    assert Gallery.objects.get().entries.count() == 1


def test_chats_read_title_text_and_picture_with_the_address_that_the_visitor_asked_for(settings, gallery, leaderboard):
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.ALLOWED_HOSTS = ["lab.example.org"]
    path = gallery(leaderboard("Shared table", rows=("published",)), authors="Ada Author")
    proxied = {"host": "lab.example.org", "x-forwarded-proto": "https"}
    for inner, title in (("", "Shown results"), ("shared-table/", "Shared table")):
        page = Client().get(path + inner, headers=proxied).text
        whole = f"https://lab.example.org{path}{inner}"
        assert content_of(page, "og:url") == whole and content_of(page, "og:image") == f"{whole}picture.png"
        assert content_of(page, "og:title") == title and content_of(page, "twitter:card") == "summary_large_image"
        assert (content_of(page, "og:image:width"), content_of(page, "og:image:height")) == ("1200", "630")
        assert content_of(page, "og:description") and content_of(page, "og:image:alt").startswith(title)
    assert "Gemini" in content_of(page, "og:description"), "the first rows of the board"


def test_only_public_share_links_have_a_preview_in_chats(leaderboard, link):
    public, private = (link(leaderboard(name), lasts=lasts) for name, lasts in (("Open", "public"), ("Hidden", "7")))
    page = Client().get(public).text
    assert content_of(page, "og:image") == f"http://testserver{public}picture.png"
    picture = Client().get(f"{public}picture.png")
    assert picture["Content-Type"] == "image/png" and picture["Cache-Control"] == "public, no-cache"
    assert "og:" not in Client().get(private).text and Client().get(f"{private}picture.png").status_code == 404


def test_a_citation_names_authors_and_the_day_and_escapes_what_bibtex_reads(gallery, leaderboard):
    path = gallery(
        leaderboard(), title="50 % of {all} \\input{x} prices?", authors="Ada A. Author\nB_b & Sons", doi="10.1000/182"
    )
    response = Client().get(f"{path}citation.bib")
    assert response["Content-Type"].startswith("application/x-bibtex")
    bibtex = response.text
    assert r"author = {Ada A. Author and B\_b \& Sons}" in bibtex
    assert r"title = {{50 \% of \{all\} \textbackslash{}input\{x\} prices?}}" in bibtex
    assert re.search(r"version = \{\d{4}-\d\d-\d\d\}", bibtex) and "doi = {10.1000/182}" in bibtex
    assert f"url = {{http://testserver{path}}}" in bibtex
    front = Client().get(path).text
    assert "Ada A. Author, B_b &amp; Sons (20" in front and "prices? https://doi.org/10.1000/182." in front


def test_a_citation_without_authors_names_the_organization(gallery, leaderboard, organization):
    assert f"author = {{{{{organization.name}}}}}" in Client().get(f"{gallery(leaderboard())}citation.bib").text


def test_hostile_texts_of_a_gallery_are_escaped(gallery, leaderboard):
    hostile = "<script>alert(1)</script><img src=x> {{ x }}"
    path = gallery(leaderboard(hostile), title=hostile, text=f"{hostile} [a](javascript:alert(3))", authors=hostile)
    entry = Gallery.objects.get().entries.get().slug
    for inner in ("", f"{entry}/"):
        text = Client().get(path + inner).text
        check_markup(text)
        assert "<script>alert" not in text and "<img src=x" not in text and 'href="javascript' not in text
    assert Client().get(f"{path}{entry}/picture.png").status_code == 200


def test_members_and_visitors_get_the_same_page(member, gallery, leaderboard):
    path = gallery(leaderboard("Shared table"))
    clock = re.compile(r"<time.*?</time>")
    for inner in ("", "shared-table/"):
        same = [clock.sub("", client.get(path + inner).text) for client in (member, Client())]
        assert same[0] == same[1] and "Log out" not in same[0] and "/login/" not in same[0]


def test_entries_say_the_time_of_their_numbers_and_keep_the_filters_of_the_board(gallery, leaderboard):
    path = gallery(leaderboard("Shared table", environments=("pricing",)))
    text = Client().get(f"{path}shared-table/?environments=procurement").text
    assert "Live results as of" in text and "A caption" in text
    assert "Pricing" in text and "Procurement" not in text


def test_too_many_requests_of_an_entry_get_429_while_others_are_answered(gallery, leaderboard, noon, monkeypatch):
    path = gallery(leaderboard("Shared table"))
    monkeypatch.setattr(visits, "REQUESTS_A_MINUTE", 2)
    assert [Client().get(f"{path}shared-table/picture.png").status_code for _ in range(3)] == [200, 200, 429]
    assert Client().get(path).status_code == 200


QUERIES = {"": 2, "picture.png": 2, "citation.bib": 2, "shared-table/": 4, "shared-table/picture.png": 4}
"""The gallery and its entries; of a board also its runs, and which agents were played in several ways.

For any number of entries."""


def test_pages_of_a_gallery_take_few_queries(gallery, leaderboard, experiment, django_assert_num_queries):
    path = gallery(leaderboard("Shared table"), *(leaderboard(f"Table {number}") for number in range(4)), experiment)
    for inner, queries in QUERIES.items():
        with django_assert_num_queries(queries):
            Client().get(path + inner)
