"""The guides as pages: complete, linked, searchable and public."""

import re
from html import unescape

import pytest
from django.test import Client

from pages.guides.collection import FOLDER, GROUPS, MOST_HITS, PARTS, guides_by_name, search
from pages.guides.markup import anchor_of, render
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


def test_every_guide_is_a_public_page_with_working_links(guides):
    pages = {guide.address: read(guide.address) for guide in guides.values()}
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


def test_a_guide_page_contains_the_full_text(guides):
    """No text is parsed as markup: page and file have the same words."""
    words = lambda text: re.findall(r"[a-zA-Z]{3,}", text)  # noqa: E731
    for guide in guides.values():
        files = PARTS if guide.name in PARTS else (guide.name,)
        written = " ".join((FOLDER / f"{name}.md").read_text(encoding="utf-8") for name in files)
        # Addresses of links, and the languages of code blocks, are not words of the page.
        written = re.sub(r"\]\([^)]*\)|```\w+", " ", written)
        shown = " ".join(f"{section.title} {section.text}" for section in guide.sections)
        missing = set(words(written)) - set(words(shown))
        assert not missing, f"{guide.name}: {missing}"


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


@pytest.mark.parametrize(
    ("query", "address"),
    [
        ("Holm", "/methodology/#holms-correction"),
        ("exploration rate", "/methodology/#exploration-rate-of-procurement"),
        ("holds budget", "/docs/budgets/#what-holds-a-budget"),
        ("idempotency-key", "/docs/api/#sending-again"),
        ("ECONEVALS_PROXIES", "/docs/settings/"),
    ],
)
def test_the_search_finds_sections(guides, query, address):
    hits = search(guides.values(), query)
    assert address in [hit.address for hit in hits[:3]]
    assert all("<mark>" in hit.title + hit.excerpt for hit in hits) and len(hits) <= MOST_HITS
    assert f'href="{address}"' in read("/docs/", q=query)


def test_the_search_matches_beginnings_of_all_words(guides):
    assert search(guides.values(), "bud") and not search(guides.values(), "udget")
    assert not search(guides.values(), "budget zebra")
    assert search(guides.values(), "   ") == []


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
    assert "No section has all words of “zebra”." in html and "/docs/budgets/" in html


def test_the_footer_of_every_page_names_the_guides_and_the_version():
    import tomllib

    (version,) = re.findall(r"<span>EconEvals ([\d.]+)</span>", read("/login/"))
    assert version == tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert {"/docs/", "/methodology/", "/api/v1/docs"} <= set(LINK.findall(read("/login/").partition("<footer")[2]))
