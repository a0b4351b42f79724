"""Draws previews of shared pages for chats: PNG files of 1200 by 630 pixels, which Open Graph recommends.

The texts are hostile: names of agents and members' titles. They are cut, and characters that the font lacks are replaced.
"""

import hashlib
import unicodedata
from bisect import bisect
from functools import cache
from io import BytesIO
from math import ceil
from threading import Lock
from typing import NamedTuple

from cachetools import LRUCache, cached
from fontpkg_inter import ROOT
from fontTools.ttLib import TTFont
from PIL import Image, ImageColor, ImageDraw, ImageFont

from sharing.shown.cards import Card, CardRow

WIDTH, HEIGHT = 1200, 630
FONT = ROOT / "files" / "Inter[opsz,wght].ttf"
MISSING = "□"
MOST_CHARACTERS = 120
LONGEST_NUMBER = 12
KEPT_PICTURES = 64

MARGIN, RIGHT = 64, WIDTH - 64
TABLE_TOP, ROW_HEIGHT, FOOT = 214, 40, 566
LEAST_NAME = 330
"""The width of the first column of a table with the most columns."""


class Colours(NamedTuple):
    ground: str
    panel: str
    line: str
    ink: str
    soft: str
    heat: str


LIGHT = Colours("#fbfbfa", "#ffffff", "#e6e6e3", "#191a1c", "#5f6368", "#2f5bd7")
DARK = Colours("#111214", "#18191c", "#292b30", "#ececea", "#a5a9b0", "#5f86ee")
"""The colours of static/css/tokens.css."""


class Picture(NamedTuple):
    """A PNG file. tag: a hash of the content, for ETag"""

    data: bytes
    tag: str


_drawing = Lock()
"""FreeType's fonts must not be used by two threads at the same time."""


@cached(LRUCache(KEPT_PICTURES), lock=Lock())
def picture_of(card: Card, by: str, date: str, *, dark: bool = False) -> Picture:
    """Draw a card. by: who publishes it; date: the day of its numbers, in words"""
    with _drawing:
        data = _Drawing(DARK if dark else LIGHT).draw(card, by, date)
    return Picture(data, f'"{hashlib.sha256(data).hexdigest()[:32]}"')


@cache
def _font(size: int, weight: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.truetype(str(FONT), size, layout_engine=ImageFont.Layout.BASIC)
    font.set_variation_by_axes([min(32, max(14, size * 0.75)), weight])
    return font


@cache
def _glyphs() -> frozenset[int]:
    with TTFont(FONT, lazy=True) as font:
        return frozenset(font.getBestCmap())


def clean(text: str) -> str:
    """Return a text that can be drawn in one line.

    Control, formatting and combining characters are left out. Characters without a glyph become `MISSING`.
    """
    text = unicodedata.normalize("NFC", text[: 2 * MOST_CHARACTERS])
    letters = [" " if c.isspace() else c for c in text if c.isspace() or unicodedata.category(c)[0] not in "CM"]
    drawable = "".join(c if ord(c) in _glyphs() else MISSING for c in letters)
    return " ".join(drawable.split())[:MOST_CHARACTERS]


class _Drawing:
    """A picture that is being drawn. Positions are pixels; texts stand on their baseline."""

    def __init__(self, colours: Colours) -> None:
        self.colours = colours
        self.image = Image.new("RGB", (WIDTH, HEIGHT), colours.ground)
        self.pen = ImageDraw.Draw(self.image)

    def draw(self, card: Card, by: str, date: str) -> bytes:
        ink, soft = self.colours.ink, self.colours.soft
        self.text(MARGIN, 72, by, 24, 500, soft, RIGHT - MARGIN)
        self.text(MARGIN, 132, card.title, 46, 650, ink, RIGHT - MARGIN)
        self.text(MARGIN, 172, "  ·  ".join(card.facts), 22, 400, soft, RIGHT - MARGIN)
        if card.columns:
            self.table(card)
        else:
            for number, row in enumerate(card.rows):
                self.line(row, TABLE_TOP + 40 + number * 48)
        more = f"{card.more:,} more · " if card.more > 0 else ""
        self.text(MARGIN, FOOT + 28, f"{more}as of {date}", 20, 400, soft, 700)
        self.text(RIGHT, FOOT + 28, "EconEvals", 20, 600, ink, 300, at_right=True)
        output = BytesIO()
        self.image.save(output, "PNG")
        return output.getvalue()

    def table(self, card: Card) -> None:
        width = min(132, (RIGHT - MARGIN - LEAST_NAME) // len(card.columns))
        left = RIGHT - width * len(card.columns)
        column = 0
        for title, count in card.groups:
            room = width * min(count, len(card.columns) - column) - 12
            self.text(left + (column + 1) * width - 66, TABLE_TOP + 8, title, 16, 500, self.colours.soft, room)
            column += count
            if column >= len(card.columns):
                break
        for index, label in enumerate(card.columns):
            end = left + (index + 1) * width
            self.text(end - 4, TABLE_TOP + 32, label, 15, 400, self.colours.soft, width - 4, at_right=True)
        for number, row in enumerate(card.rows):
            top = TABLE_TOP + 46 + number * (ROW_HEIGHT - 2)
            self.pen.line([(MARGIN, top), (RIGHT, top)], self.colours.line)
            self.text(MARGIN, top + 26, row.name, 20, 500, self.colours.ink, left - MARGIN - 16)
            for index, cell in enumerate(row.cells):
                end = left + (index + 1) * width
                if cell.heat:
                    box = (end - width + 3, top + 4, end - 1, top + ROW_HEIGHT - 5)
                    self.pen.rounded_rectangle(box, 5, self.shade(cell.heat))
                self.number(end - 8, top + 26, cell.text, width - 12)

    def line(self, row: CardRow, baseline: int) -> None:
        """Draw a row without columns: a name, and at most one value at the right."""
        room = 620 if row.cells else RIGHT - MARGIN
        self.text(MARGIN, baseline, row.name, 26, 400, self.colours.ink, room)
        if row.cells:
            self.text(RIGHT, baseline, row.cells[0].text, 26, 600, self.colours.ink, 420, at_right=True)
            self.pen.line([(MARGIN, baseline + 14), (RIGHT, baseline + 14)], self.colours.line)

    def text(
        self, x: int, y: int, text: str, size: int, weight: int, colour: str, room: int, *, at_right: bool = False
    ) -> None:
        """Draw a text that ends with … if it is longer than `room`."""
        font, text = _font(size, weight), clean(text)
        if font.getlength(text) > room:
            fitting = bisect(range(len(text)), room, key=lambda end: ceil(font.getlength(f"{text[:end]}…")))
            text = f"{text[: max(0, fitting - 1)].rstrip()}…"
        self.pen.text((x, y), text, colour, font, "rs" if at_right else "ls")

    def number(self, end: int, y: int, text: str, room: int) -> None:
        """Draw a number that ends at `end`, with digits of equal width, so that columns of numbers align."""
        font, text = _font(18, 400), clean(text[: 2 * LONGEST_NUMBER])
        if len(text) > LONGEST_NUMBER or font.getlength(text) > room:
            return self.text(end, y, text, 18, 400, self.colours.ink, room, at_right=True)
        digit = font.getlength("0")
        widths = [digit if letter.isdigit() else font.getlength(letter) for letter in text]
        x = end - sum(widths)
        for letter, width in zip(text, widths, strict=True):
            self.pen.text((x + width / 2, y), letter, self.colours.ink, font, "ms")
            x += width
        return None

    def shade(self, heat: str) -> tuple[int, ...]:
        """Mix the colour of heat-0 to heat-10 with the ground."""
        part = 0.03 + 0.47 * int(heat.removeprefix("heat-")) / 10
        pairs = zip(ImageColor.getrgb(self.colours.heat), ImageColor.getrgb(self.colours.panel), strict=True)
        return tuple(round(part * ink + (1 - part) * paper) for ink, paper in pairs)
