"""The height of a frame for an embedded page, so that a page of another site shows it without a second scroll bar."""

import re

FOOT, HEADING, PARAGRAPH, CHART = 34, 44, 40, 420
ROW, DENSE_ROW = 32, 24
LOWEST, HIGHEST = 200, 2400

TABLE = re.compile(r'<table class="([^"]*)".*?</table>', re.DOTALL)
CHARTS = re.compile(r'class="chart"(?:\s+data-height="(\d+)")?')


def embed_height(page: str) -> int:
    """An estimate in pixels of the height of an embedded page, from its HTML.

    It counts rows of tables, charts, headings and paragraphs at a width of about 1,000 pixels. On narrow pages texts
    wrap, so the frame scrolls there.
    """
    main = page.partition("<main")[2]
    rows = sum(
        (DENSE_ROW if "benchmark" in table[1].split() else ROW) * table[0].count("<tr")
        for table in TABLE.finditer(main)
    )
    charts = sum(int(height or CHART) for height in CHARTS.findall(main))
    text = HEADING * len(re.findall(r"<h[12]\b", main)) + PARAGRAPH * main.count("<p ")
    return min(HIGHEST, max(LOWEST, FOOT + rows + charts + text))
