"""The code for a frame has the title and the height of what it shows."""

import html
import re

import pytest

from sharing.shown.heights import HIGHEST, LOWEST, embed_height

ROW = "<tr><th>Agent</th><td>61.0</td></tr>"


def page_of(content):
    return f"<head><title>Scores</title></head><main id='main'><h1>Scores</h1>{content}</main>"


@pytest.mark.parametrize(("look", "row"), [("table board benchmark", 24), ("table scores", 32)])
def test_the_height_grows_with_rows_and_dense_rows_take_less(look, row):
    few, many = (embed_height(page_of(f'<table class="{look}">{ROW * number}</table>')) for number in (10, 20))
    assert many - few == 10 * row


def test_the_height_counts_charts_and_has_limits():
    one = embed_height(page_of('<div class="chart" data-figure="/x.json"></div>'))
    assert one == 420 + 44 + 34
    assert embed_height(page_of('<div class="chart" data-height="600" data-figure="/x.json"></div>')) == one + 180
    assert (
        embed_height(page_of("")) == LOWEST
        and embed_height(page_of(f'<table class="table">{ROW * 1000}</table>')) == HIGHEST
    )


def test_the_code_for_a_frame_names_what_it_shows_and_has_its_height(member, experiment):
    text = member.post(f"/share/run/{experiment.runs.get().pk}/", {"lasts": "30"}).text
    code = html.unescape(html.unescape(text.partition('id="share-frame">')[2].partition("</code>")[0]))
    height, title = re.search(r'height="(\d+)"', code), re.search(r'title="([^"]+)"', code)
    assert title and title[1] and height and int(height[1]) > LOWEST and int(height[1]) != 480
