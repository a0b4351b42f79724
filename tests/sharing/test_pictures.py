"""Pictures of boards: of the right size, small, and safe whatever their texts are."""

import unicodedata
from io import BytesIO
from itertools import count

import pytest
from django.test import Client
from PIL import Image

from sharing.pictures import MISSING, MOST_CHARACTERS, clean, picture_of
from sharing.shown.cards import Card, CardCell, CardRow
from tests.yardstick import USUAL, within

MOST_BYTES = 300_000


def card(title="A board", name="Model", value="71.2", heat="heat-7", facts=("main prompt",), rows=8, columns=10):
    return Card(
        title,
        facts,
        tuple(CardRow(f"{name} {row}", (CardCell(value, heat),) * columns) for row in range(rows)),
        ("BASIC",) * columns,
        (("Pricing", columns),),
        3,
    )


def image(picture):
    return Image.open(BytesIO(picture.data))


@pytest.mark.parametrize("dark", [False, True])
def test_a_picture_has_the_size_that_chats_expect_and_few_bytes(dark):
    picture = picture_of(card(), "Market Lab", "29 Nov 2026", dark=dark)
    assert image(picture).size == (1200, 630) and image(picture).format == "PNG"
    assert len(picture.data) < MOST_BYTES
    colours = image(picture).convert("RGB").getcolors(1 << 16)
    assert len(colours) > 20, "it is not empty"


def test_a_picture_is_the_same_for_the_same_card_and_another_for_other_numbers():
    first = picture_of(card(), "Market Lab", "29 Nov 2026")
    assert picture_of(card(), "Market Lab", "29 Nov 2026").tag == first.tag
    assert picture_of(card(value="71.3"), "Market Lab", "29 Nov 2026").tag != first.tag
    assert picture_of(card(), "Market Lab", "30 Nov 2026").tag != first.tag


HOSTILE = {
    "long": "W" * 100_000,
    "zero bytes and controls": "a\x00\x1b[31m\nb\tc",
    "from right to left": "safe \u202eevil\u2066 שלום مرحبا",
    "combining marks": "Z" + "\u0336\u0322" * 2_000,
    "no glyph": "模型 🤖 \U0010fffd",
    "half of a pair": "\ud83e",
    "empty": "",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_make_a_picture_of_the_same_size(text):
    hostile = card(text, text, text, facts=(text, text))
    picture = picture_of(hostile, text, text)
    assert image(picture).size == (1200, 630) and len(picture.data) < MOST_BYTES
    texts = picture_of(Card(text, (text,), (CardRow(text), CardRow(text, (CardCell(text),)))), text, "today")
    assert image(texts).size == (1200, 630)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_drawn_text_is_one_short_line_of_letters_that_the_font_has(text):
    drawn = clean(text)
    assert len(drawn) <= MOST_CHARACTERS
    assert not [letter for letter in drawn if unicodedata.category(letter)[0] in "CM"]
    assert "\n" not in drawn


def test_letters_without_a_glyph_become_boxes_and_accents_stay():
    assert clean("模型 Å e\u0301") == f"{MISSING}{MISSING} Å é"


def test_no_text_leaves_the_margins():
    """Long names and numbers end with … before the next column, so nothing is drawn at the border."""
    drawn = image(picture_of(card("W" * 500, "W" * 500, "9" * 500, facts=("W" * 500,)), "W" * 500, "W" * 500))
    ground = drawn.getpixel((0, 0))
    left = {drawn.getpixel((x, y)) for x in range(0, 50) for y in range(0, 630, 3)}
    right = {drawn.getpixel((x, y)) for x in range(1150, 1200) for y in range(0, 630, 3)}
    assert left == right == {ground}


def test_drawing_takes_a_tenth_of_a_second_even_with_hostile_texts():
    numbers = count()
    picture_of(card(), "Market Lab", "29 Nov 2026")  # reads the fonts
    hostile = lambda: card(f"{next(numbers)}{'W' * 400}", "模" * 400, "9" * 400)  # noqa: E731
    within(0.1 * USUAL, lambda: picture_of(hostile(), "Market Lab", "29 Nov 2026"))


def test_the_picture_of_a_public_board_has_its_first_rows(leaderboard, link):
    path = link(leaderboard(rows=("published",)), lasts="public")
    light, dark = (image_at(f"{path}picture.png{query}") for query in ("", "?theme=dark"))
    assert light.getpixel((0, 0)) == (251, 251, 250) and dark.getpixel((0, 0)) == (17, 18, 20)
    # A query that would sort or filter the table does not change the picture.
    assert image_at(f"{path}picture.png?sort=agent&environments=pricing").tobytes() == light.tobytes()


def image_at(address):
    return Image.open(BytesIO(Client().get(address).content))
