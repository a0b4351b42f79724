"""The guides as pages: complete, linked, searchable and public."""

import re
from html import unescape

import pytest
from django.test import Client

from pages.guides.collection import (
    FOLDER,
    GROUPS,
    METHODOLOGY,
    PARTS,
    chapters,
    chapters_by_name,
    definitions,
    documents,
    guides_by_name,
)
from pages.guides.markup import anchor_of, render
from pages.guides.search import MOST_HITS, search
from tests.data_folders import ROOT
from tests.layout import check_markup

pytestmark = pytest.mark.django_db

LINK = re.compile(r'<a (?:class="[^"]*" )?href="([^"]+)"')


@pytest.fixture(scope="module")
def guides():
    return guides_by_name()


def read(address, **query):
    answer = Client().get(address, query)
    assert answer.status_code == 200, address
    return answer.content.decode()


def test_every_document_is_listed_once():
    listed = [name for group in GROUPS.values() for name in group]
    assert sorted([*listed, *PARTS[1:]]) == sorted(path.stem for path in FOLDER.glob("*.md"))


def test_every_guide_is_a_public_page_with_working_links():
    pages = {guide.address: read(guide.address) for guide in documents()}
    ids = {address: set(re.findall(r'\sid="([^"]+)"', html)) for address, html in pages.items()}
    for address, html in pages.items():
        check_markup(html)
        prose = html.partition('<div class="prose">')[2].partition("</article>")[0]
        for link in map(unescape, LINK.findall(prose)):
            path, _, anchor = link.partition("#")
            if path.startswith(("http://", "https://")):
                continue
            assert (path or address) in pages, f"{address} links {link}"
            assert not anchor or anchor in ids[path or address], f"{address} links {link}"


def test_the_pages_contain_the_full_text(guides):
    """No text is parsed as markup: pages and files have the same words."""
    words = lambda text: re.findall(r"[a-zA-Z]{3,}", text)  # noqa: E731
    files = {(name,): [guide] for name, guide in guides.items() if name != METHODOLOGY}
    files[PARTS] = [guides[METHODOLOGY], *chapters_by_name().values()]
    for names, written_as in files.items():
        written = " ".join((FOLDER / f"{name}.md").read_text(encoding="utf-8") for name in names)
        # Addresses of links, and the languages of code blocks, are not words of the page.
        written = re.sub(r"\]\([^)]*\)|```\w+", " ", written)
        shown = " ".join(f"{section.title} {section.text}" for guide in written_as for section in guide.sections)
        missing = set(words(written)) - set(words(shown)) - set(words(" ".join(part.title for part in chapters())))
        assert not missing, f"{names}: {missing}"


def test_parts_of_the_methodology_share_an_address():
    for name in PARTS:
        assert Client().get(f"/docs/{name}/").headers["Location"] == "/methodology/"
    for name in ("nothing", "..", "nginx"):
        assert Client().get(f"/docs/{name}/").status_code == 404


def test_links_to_files_without_a_page_become_paths():
    rendered = render("# A\n\nSee [its rules](../environments/x/README.md), [b](b.md#c).", {"b.md#c": "/docs/b/#c"}.get)
    assert "its rules (<code>environments/x/README.md</code>)" in rendered.html
    assert '<a href="/docs/b/#c">b</a>' in rendered.html


def test_headings_have_the_same_anchors_as_on_github():
    assert anchor_of("Export: JSON Lines and CSV") == "export-json-lines-and-csv"
    rendered = render("# Title\n\n## `a_b` & c\n\ntext\n\n| x | |\n|---|---|\n| 1 | 2 |", lambda link: None)
    assert '<h2 id="a_b--c"><a href="#a_b--c">' in rendered.html and "<h1" not in rendered.html
    assert [section.title for section in rendered.sections] == ["Title", "a_b & c"]
    assert 'class="scroll" tabindex="0"' in rendered.html and "<th></th>" not in rendered.html


def test_scripts_in_a_guide_are_not_executed():
    rendered = render(
        "# A\n\n[x](javascript:alert)\n\n<b onclick=a>b</b>\n\n<script>alert(1)</script>", lambda link: link
    )
    assert not re.search("javascript|onclick|<script|alert", rendered.html)


def test_the_methodology_has_a_page_for_each_section():
    html = read("/methodology/")
    assert len(chapters_by_name()) > 20
    for chapter in chapters_by_name().values():
        assert f'href="{chapter.address}"' in html
        assert f"<h1>{chapter.title}</h1>" in read(chapter.address).replace("&#x27;", "'")
    assert Client().get("/methodology/nothing/").status_code == 404


def test_every_former_anchor_of_the_methodology_is_on_its_list_and_on_its_page():
    """The list has the anchors, so that old addresses lead on with a script and without it."""
    html = read("/methodology/")
    former = {
        anchor_of(title.replace("`", ""))
        for name in PARTS
        for title in re.findall(r"^##+ (.*)$", (FOLDER / f"{name}.md").read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert former <= set(definitions()) and len(former) > 150
    pages = {chapter.address: read(chapter.address) for chapter in chapters_by_name().values()}
    for anchor in former:
        link = re.search(rf'<li id="{re.escape(anchor)}">\s*<a href="([^"]+)"', html)
        assert link, anchor
        path, _, target = unescape(link[1]).partition("#")
        assert target in ("", anchor) and (not target or f'id="{anchor}"' in pages[path])


def test_a_definition_is_public_and_short():
    client = Client()
    answer = client.get("/methodology/definitions/slope/", headers={"HX-Request": "true"}).text
    assert answer.lstrip().startswith('<h2 id="definition-title">Slope</h2>') and "<html" not in answer
    assert 'href="/methodology/scores-over-time/#slope"' in answer
    for anchor in ("nothing", "<script>", "..", "a" * 3000):
        assert client.get("/methodology/definitions/" + anchor + "/", headers={"HX-Request": "true"}).status_code == 404


def test_every_definition_has_a_paragraph_and_its_formula():
    def definition(anchor):
        return Client().get(f"/methodology/definitions/{anchor}/", headers={"HX-Request": "true"}).text

    for anchor, (section, _) in definitions().items():
        answer = definition(anchor)
        if section.text:
            assert re.search("<(p|pre|ul|ol|div class=.scroll)", answer.partition('class="prose"')[2]), anchor
        assert len(re.sub("<[^>]*>", "", answer)) < 2600, anchor
    assert "expected blocking pairs of a random matching" in definition("scheduling-score")
    assert "<pre" in definition("missing-runs") or "stalls on hard instances" in definition("missing-runs")


KNOWN_QUERIES = [
    ("Holm", "/methodology/comparing-agents/#holms-correction"),
    ("exploration rate", "/methodology/benchmarks/#exploration-rate-of-procurement"),
    ("holds budget", "/docs/budgets/#what-holds-a-budget"),
    ("idempotency-key", "/docs/api/#sending-again"),
    ("ECONEVALS_PROXIES", "/docs/settings/"),
    ("negative score", "/docs/reading-the-numbers/#a-score-of-a-benchmark"),
    ("what does flagged mean", "/docs/reading-the-numbers/#what-flagged-means"),
    ("rank ranges", "/methodology/leaderboards/#rank-range"),
    ("how do I restore a backup?", "/docs/operating/#restore-a-backup"),
    ("webhook signature", "/docs/webhooks/"),
    ("blocking pairs", "/methodology/benchmarks/#blocking-pairs"),
    ("wilcoxn test", "/methodology/comparing-agents/#wilcoxons-test"),
    ("Wilcoxon zebra", "/methodology/comparing-agents/#wilcoxons-test"),
]


@pytest.mark.parametrize(("query", "address"), KNOWN_QUERIES)
def test_the_search_ranks_what_a_query_means_first(query, address):
    addresses = [hit.address for document in search(query) for hit in document.hits]
    assert address in [*addresses[:3], *[document.address for document in search(query)[:2]]], addresses[:6]
    assert f'href="{address}"' in read("/docs/", q=query)


def test_hits_are_grouped_by_document_and_marked():
    documents_found = search("interval of a mean")
    assert len({document.address for document in documents_found}) == len(documents_found) > 2
    for document in documents_found:
        assert all(hit.address.partition("#")[0] == document.address for hit in document.hits)
        assert all("<mark>" in hit.title + hit.excerpt or hit.address == document.address for hit in document.hits)
    assert sum(len(document.hits) for document in documents_found) <= MOST_HITS


def test_the_search_takes_any_words_and_beginnings():
    assert search("idempot") and not search("empotency")
    assert [document.address for document in search("budget zebra")] == [
        document.address for document in search("budget")
    ]
    assert search("   ") == [] and search("zebra") == []


@pytest.mark.parametrize(
    "query",
    [
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "(((([[[[",
        "\\",
        "a" * 5000,
        "\x00",
        "{{ 7|add:7 }}",
        "'",
    ],
)
def test_hostile_queries_are_escaped(query):
    html = read("/docs/", q=query)
    assert "<img" not in html and "<script>alert" not in html


def test_a_search_without_hits_says_so_and_keeps_the_list():
    html = read("/docs/", q="zebra")
    assert "No section has a word of “zebra”." in html and "/docs/budgets/" in html


def test_the_footer_of_every_page_names_the_guides_and_the_version():
    import tomllib

    (version,) = re.findall(r"<span>EconEvals ([\d.]+)</span>", read("/login/"))
    assert version == tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert {"/docs/", "/methodology/", "/api/v1/docs"} <= set(LINK.findall(read("/login/").partition("<footer")[2]))
