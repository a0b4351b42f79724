"""Templates have a common layout and name pages by their URL names."""

import re

from django.template.loader import get_template

from tests.data_folders import ROOT

TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
MAX_COLUMNS = 120
HARD_CODED_LINK = re.compile(r'\b(?:href|action|src|hx-get|hx-post)="/(?!/)')


def test_templates_compile_have_short_lines_and_link_by_url_names():
    for template in TEMPLATES:
        get_template(str(template.relative_to(ROOT / "templates")))
        for number, line in enumerate(template.read_text().splitlines(), start=1):
            assert len(line) <= MAX_COLUMNS, f"{template}:{number} has {len(line)} columns"
            assert not HARD_CODED_LINK.search(line), f"{template}:{number}: use the url tag"
