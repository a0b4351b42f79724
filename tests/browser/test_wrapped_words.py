"""Tables on a phone: common names are not broken, and long names leave room for other columns."""

import pytest

from tests.data_folders import ROOT

pytestmark = pytest.mark.browser

ROW = """<tr><th scope="row">{name}</th><td><a href="#">{name}</a></td>
<td class="num">268 k to 1.48 M</td><td class="num">303 k</td><td>4 % less</td></tr>"""
LINES = """() => {
  const range = document.createRange();
  return [...document.querySelectorAll("th, a")].flatMap((cell) => [...cell.textContent.matchAll(/\\S+/g)].map((word) => {
    range.setStart(cell.firstChild, word.index);
    range.setEnd(cell.firstChild, word.index + word[0].length);
    return new Set([...range.getClientRects()].map((line) => line.top)).size;
  }));
}"""
"""On how many lines each word of a name stands."""


@pytest.fixture
def show(browser):
    """The cells' widths and the lines of each word of a table with one row."""
    css = "".join((ROOT / "static/css" / name).read_text() for name in ("tokens.css", "base.css"))
    page = browser.new_page(viewport={"width": 390, "height": 844})

    def show(name, kind=""):
        table = f'<div class="scroll"><table class="table {kind}"><tbody>{ROW.format(name=name)}</tbody></table></div>'
        page.set_content(f"<style>{css}</style><main class='page'>{table}</main>")
        widths = page.evaluate("[...document.querySelectorAll('th, td')].map((cell) => cell.offsetWidth)")
        return widths, page.evaluate(LINES)

    yield show
    page.close()


def test_common_names_are_not_broken(show):
    for name in ("Input tokens", "House model", "Collusiveness versus competitiveness"):
        assert set(show(name)[1]) == {1}, name


def test_a_name_without_spaces_breaks_before_half_of_the_page_width(show):
    widths, lines = show("x" * 100)
    assert max(widths) < 390 / 2 and min(lines) > 1


def test_a_name_in_a_stacked_row_has_the_full_width(show):
    assert show("x" * 40, "stacked")[0][0] > 300
