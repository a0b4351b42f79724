"""Every number of the templates is a term that opens its definition, or is listed here with a reason."""

import re

import pytest
from django.template import Context, Template

from environments.registry import ENVIRONMENTS
from pages.guides.collection import definitions
from tests.data_folders import ROOT

TEMPLATES = {
    str(path.relative_to(ROOT / "templates")): path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "templates").rglob("*.html"))
}
FIXED = re.compile(r'{% explained "([^"]+)" %}|\babout="([^"]+)"')
HEADS = re.compile(r"{% (?:heads|columns) (.*?) %}")
PYTHON = re.compile(r'\b(?:about|anchor)(?: =|=)\s?"([^"]+)"|^CALLS, COST = "([a-z-]+)", "([a-z-]+)"$', re.MULTILINE)
HEADING = re.compile(r'<th [^>]*class="num[^"]*"[^>]*>(.*?)</th>', re.DOTALL)
SORT_HEADING = re.compile(r'{% sort_heading "\w+" "\w+" "([^"]+)"([^%]*)%}')
TILES = re.compile(r'<dl class="(?:figures|estimate)\b.*?</dl>', re.DOTALL)
TILE = re.compile(r"<dt>(.*?)</dt>", re.DOTALL)
FACT = re.compile(r'{% fact "([^"]+)" %}')
FIGURE = re.compile(r"data-figure=")
MARK = re.compile(r"{% explained |about=")

COUNT, TIME, CHOSEN = "a plain count", "a time", "a person set it"
LABELS = {
    **dict.fromkeys(("Runs", "Periods", "Agents", "Experiments", "Instances", "Models", "Views", "Paragraphs"), COUNT),
    **dict.fromkeys(("Runs finished", "Running", "Queued", "Needs attention"), COUNT),
    **dict.fromkeys(
        ("Starred", "Tagged", "Launched", "Made", "Ends", "Last seen", "Started", "Asked", "Deleted", "Removed in"),
        TIME,
    ),
    **dict.fromkeys(("Budget", "Threshold"), CHOSEN),
    **dict.fromkeys(("Joined", "Finished"), COUNT),
    "{{ head }}": "a game prints it; participants are not led to its score",
    "Cost": "the page of a game: what its rows say",
    "No.": "a name",
    "{{ comparison.agents.first }}": "scores by agent; the title of the panel has the mark",
    "{{ comparison.agents.second }}": "scores by agent; the title of the panel has the mark",
    "{{ difficulty }}": "the environment above it has the mark",
    "{{ difficulty|difficulty_title }}": "the environment above it has the mark",
    "{{ column }}": "the title of the panel has the mark",
    "{{ rule.title }}": "the title of the page has the mark",
}
"""Numbers without a mark, by the label of their column or tile."""

FIGURES = {
    "pages/instances/_measured.html": "the title of the panel has the mark",
    "pages/reports/report.html": "a report has its methods in the file",
    "pages/play/_past.html": "participants are not led to the score",
    "sharing/figure.html": "one figure of any kind, shared alone; its own page has the mark",
}
"""Templates with a figure without a mark."""


def head_titles(text):
    """(title, anchor) of each column in the tags `heads` and `columns`."""
    for titles in HEADS.findall(text):
        yield from map(marked, re.findall(r'"([^"]+)"', titles))


def marked(title):
    """('#Runs', 'anchor') of '#Runs@key|anchor'."""
    text, _, anchor = title.partition("|")
    return text.partition("@")[0], anchor


def numbers(text):
    """(label, markup) of every numeric column heading and every tile of a template."""
    for label, anchor in head_titles(text):
        if label.startswith("#"):
            yield label[1:], f"about={anchor}" if anchor else label
    yield from ((label, label) for label in HEADING.findall(text))
    for label, rest in SORT_HEADING.findall(text):
        if "False" not in rest:
            yield label, rest
    for tiles in TILES.findall(text):
        yield from ((label, label) for label in TILE.findall(tiles))
        for label, anchor in map(marked, FACT.findall(tiles)):
            yield label, f"about={anchor}" if anchor else label


def test_every_numeric_heading_and_tile_has_a_mark_or_a_reason():
    bare, seen = [], set()
    for name, text in TEMPLATES.items():
        for label, markup in numbers(text):
            label = " ".join(label.split())
            if not MARK.search(markup):
                bare += [(name, label)] if label not in LABELS else []
                seen.add(label)
    assert bare == []
    assert set(LABELS) - seen == set(), "no longer needed"


def test_every_figure_has_a_mark_or_a_reason():
    for name, text in TEMPLATES.items():
        parts = FIGURE.split(text)
        for before in parts[:-1]:
            assert MARK.search(before) or name in FIGURES, f"{name}: a figure without a mark"


def test_every_mark_leads_to_a_paragraph():
    used = {anchor for text in TEMPLATES.values() for found in FIXED.findall(text) for anchor in found if anchor}
    for text in TEMPLATES.values():
        used |= {anchor for _, anchor in [*head_titles(text), *map(marked, FACT.findall(text))]}
    used = {anchor for anchor in used if anchor and "{" not in anchor}
    for folder in ("analysis", "games", "pages", "sharing", "workspace/spending"):
        for path in (ROOT / folder).rglob("*.py"):
            used |= {anchor for found in PYTHON.findall(path.read_text()) for anchor in found if anchor}
    assert len(used) > 40
    assert used - set(definitions()) == set()


@pytest.mark.parametrize("environment", ENVIRONMENTS.values(), ids=lambda one: one.name)
def test_titles_of_environments_lead_to_their_paragraphs(environment):
    parts = ("litmus", "competency", "reliability") if environment.litmus else ("score",)
    for part in ("", *parts):
        quoted = f'"{part}"' if part else ""
        term = shown(f"{{% explained title {quoted} %}}Score{{% explained_end %}}", title=environment.title)
        assert term.startswith("<a ")


def test_the_score_of_every_variant_has_a_paragraph():
    from pages.dashboard.selectors.runs.page import score_paragraph

    for name, environment in ENVIRONMENTS.items():
        for variant in environment.variants:
            assert score_paragraph(name, variant) in definitions()
    assert score_paragraph("an environment of an older version", "main") == ""


def shown(template, **context):
    return Template(template).render(Context(context)).strip()


def test_a_term_is_a_link_and_a_heading_that_is_a_link_has_a_labelled_mark():
    term = shown('{% explained "slope" %}Slope a year{% explained_end %}')
    assert term == '<a class="term" href="/methodology/scores-over-time/#slope">Slope a year</a>'
    mark = shown('{% explained "slope" %}{% explained_end %}')
    assert 'class="explained"' in mark and 'aria-label="Definition: Slope"' in mark
    assert 'target="_blank"' in shown('{% explained "slope" %}Slope{% explained_end %}', embedded=True)


def test_a_term_of_a_report_is_no_link():
    assert shown('{% explained "slope" %}Slope{% explained_end %}', is_report=True) == "Slope"


def test_a_term_without_a_definition_is_plain_and_escaped():
    for unknown in ('{% explained "no such paragraph" %}', "{% explained about %}"):
        assert shown(unknown + "Term{% explained_end %}") == "Term"
        assert shown(unknown + "{{ name }}{% explained_end %}", name="<b>") == "&lt;b&gt;"
    assert shown("{% explained about %}{% explained_end %}", about="<script>") == ""


def test_headings_of_python_are_terms_and_sorted_ones_keep_their_link(rf):
    context = {"request": rf.get("/", {"page": "2"}), "sort": ""}
    assert shown('{% heads "#Cost|booked-cost" %}', **context) == (
        '<th scope="col" class="num"><a class="term" href="/methodology/cost-time-and-estimates/#booked-cost">Cost</a></th>'
    )
    head = shown('{% heads "#Cost@cost|booked-cost" %}', **context)
    assert '<a href="?sort=-cost">Cost</a>' in head and 'class="explained"' in head


def test_no_template_has_more_than_a_few_marks():
    """A mark is a tag without a term: only where the heading is a link already."""
    marks = {
        name: len(re.findall(r"{% explained [^%]*%}{% explained_end %}", text)) for name, text in TEMPLATES.items()
    }
    sorted_heads = {name: len(re.findall(r'"#?[^"|]*@\w+\|', text)) for name, text in TEMPLATES.items()}
    assert max(marks.values()) <= 1 and max(sorted_heads.values()) <= 4
    assert not [
        name for name, text in TEMPLATES.items() if text.count("{% explained ") != text.count("{% explained_end %}")
    ]
