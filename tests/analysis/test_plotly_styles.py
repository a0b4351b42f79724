"""Plotly may write no style of its own into a page."""

from pathlib import Path

import pytest

from analysis.plotly_css import BUNDLE, TARGET, rules, style_ids, style_sheet

HEAD = Path(__file__).parents[2] / "templates" / "analysis" / "_chart_head.html"


@pytest.fixture(scope="module")
def bundle():
    return BUNDLE.read_text(encoding="utf-8")


def test_the_style_sheet_is_that_of_the_installed_bundle(bundle):
    assert TARGET.read_text(encoding="utf-8") == style_sheet(bundle), "Run: python -m analysis.plotly_css"


def test_the_rules_are_plotlys(bundle):
    found = rules(bundle)
    assert len(found) > 50
    assert found[".js-plotly-plot .plotly .cursor-pointer"] == "cursor:pointer;"


def test_the_head_has_every_id_that_keeps_the_bundle_from_writing_styles(bundle):
    head = HEAD.read_text()
    assert all(f'id="{name}"' in head for name in ["plotly.js-style-global", *style_ids(bundle)])


def test_a_bundle_built_otherwise_is_an_error():
    with pytest.raises(ValueError, match="style rules"):
        rules("plotly.js v9")
