"""The height of a frame for an embedded page, so that a page of another site shows it without a second scroll bar."""

import re

FOOT, HEADING, PARAGRAPH, CHART = 34, 44, 40, 420
LINE, ROW_SPACE = 18, 18
LOWEST, HIGHEST = 200, 2400

ROW = re.compile(r"<tr\b.*?</tr>", re.DOTALL)
CELL = re.compile(r"<t[dh]\b.*?</t[dh]>", re.DOTALL)
STACKED = re.compile(r"<small\b[^>]*>\s*[^<\s]")
CHARTS = re.compile(r'class="chart"(?:\s+data-height="(\d+)")?')


def embed_height(page: str) -> int:
    """An estimate in pixels of the height of an embedded page, from its HTML.

    It counts the lines of rows in tables, charts, headings and paragraphs at a width of about 1,000 pixels. On narrow
    pages texts wrap, so the frame scrolls there.
    """
    main = page.partition("<main")[2]
    rows = sum(ROW_SPACE + LINE * _lines(row) for row in ROW.findall(main))
    charts = sum(int(height or CHART) for height in CHARTS.findall(main))
    text = HEADING * len(re.findall(r"<h[12]\b", main)) + PARAGRAPH * main.count("<p ")
    return min(HIGHEST, max(LOWEST, FOOT + rows + charts + text))


def _lines(row: str) -> int:
    """The lines of the highest cell."""
    return max((1 + len(STACKED.findall(cell)) for cell in CELL.findall(row)), default=1)
