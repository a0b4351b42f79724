"""Outside columns: what a CSV may hold, its upload, its names and its deletion."""

import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from hypothesis import given
from hypothesis import strategies as st

from analysis.generalizability.outside import MOST_BYTES, columns_of, columns_of_file
from analysis.generalizability.selectors import outside_columns
from tests.outside import CSV, column_of


@pytest.mark.parametrize(
    "content",
    [
        b"model,A,B\nx,1,2\ny,-3.5e2,\n",
        b"\xef\xbb\xbfmodel;A;B\r\n x ;1;2\r\n\r\ny;-350;\r\n",
        b'model\tA\tB\n"x"\t+1\t2.\ny\t-350.0\t\n',
    ],
)
def test_commas_semicolons_tabs_byte_order_marks_and_empty_cells_are_read(content):
    assert [(column.name, dict(column.values)) for column in columns_of_file(content)] == [
        ("A", {"x": 1.0, "y": -350.0}),
        ("B", {"x": 2.0}),
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "needs a line with the names"),
        ("model,A\n", "needs a line with the names"),
        ("model\nx\n", "Line 1: at least two columns"),
        ("model,A\nx,1\n\ny,2,3\n", "Line 4: 3 cells, but line 1 has 2."),
        ("model,A\nx,nan\n", "Line 2: “nan” is not a number"),
        ("model,A\nx,inf\n", "Line 2: “inf” is not a number"),
        ("model,A\nx,=1+1\n", "Line 2: “=1+1” is not a number"),
        ("model,A\nx,1_000\n", "is not a number"),
        ("model,A\nx,١\n", "is not a number"),
        ("model;A\nx;0,5\n", "“0,5” is not a number such as 0.25"),
        ("model,A\nx,1e99\n", "Line 2: 1e99 is larger than"),
        ("model,A\nx,1\n,2\n", "Line 3: a name is missing."),
        ("model,A\nGPT-5,1\ngpt-5,2\n", "Line 3: the name “gpt-5” is in line 2 already."),
        ("model,A,a\nx,1,2\n", "Line 1: the column “a” is there twice."),
        ("model,A,B\nx,1,\n", "The column “B” has no value."),
        ('model,A\n"x,1\n', "a quotation mark is not closed"),
        ("model,A\nx\x07,1\n", "a character that cannot be printed"),
        (f"model,A\n{'x' * 101},1\n", "at most 100 characters"),
        ("model," + ",".join(map(str, range(21))) + "\nx" + ",1" * 21, "at most 20 columns"),
        ("model,A\n" + "".join(f"x{n},1\n" for n in range(2000)), "more than 2,000 lines"),
    ],
)
def test_a_wrong_file_is_refused_with_a_sentence_that_names_the_line(text, sentence):
    with pytest.raises(ValidationError) as error:
        columns_of(text)
    assert sentence in error.value.messages[0]


def test_a_file_that_is_too_large_or_not_utf_8_is_refused():
    for content, sentence in (
        (b"x" * (MOST_BYTES + 1), "more than 100 kB"),
        ("x,ä".encode("utf-16"), "not text in UTF-8"),
    ):
        with pytest.raises(ValidationError, match=sentence):
            columns_of_file(content)


@given(st.text(alphabet='ab1,;\t"\n\r\ufeff=-.e\x00ä', max_size=60))
def test_any_text_is_read_or_refused_with_a_sentence(text):
    try:
        columns = columns_of(text)
    except ValidationError as error:
        assert error.messages[0].endswith(".")
    else:
        assert all(abs(value) <= 1e15 for column in columns for value in column.values.values())


def send(page, csv=CSV, **fields):
    file = SimpleUploadedFile("mine.csv", csv.encode(), "text/csv")
    return page.post("/outside-columns/new/", {"columns": file, **fields})


def test_a_column_is_uploaded_listed_with_the_names_that_match_nothing_and_deleted(page, organization):
    assert send(page, unit="points", source="mine").status_code == 302
    text = page.get("/outside-columns/").text
    assert "Elsewhere" in text and "Nobody" in text and "claude 4.5 opus" not in text, "Nobody alone matches nothing"
    again = send(page)
    assert again.status_code == 422 and "There is already a column" in again.text
    (column,) = outside_columns(organization=organization)
    assert (column.unit, column.source, len(column.values)) == ("points", "mine", 5)
    by_maker = page.get(f"/generalizability/points.json?by=maker&x=outside.{column.pk}&y=released").json()
    assert {row["name"]: row["x"] for row in by_maker["rows"]} == {"OpenAI": 9.0, "Anthropic": 1.5, "xAI": 2.0}
    page.post(f"/outside-columns/{column.pk}/delete/")
    assert not outside_columns(organization=organization)
    assert page.get(f"/generalizability/?x=outside.{column.pk}").status_code == 200


def test_hostile_names_stay_text_on_pages_and_in_files(page, organization):
    column = column_of(organization, 'model,"=<b>A"\nGPT-5,1\nGPT-4o,2\no4-mini,4\n<script>,3\n')
    assert "&lt;script&gt;" in page.get("/outside-columns/").text
    address = f"/generalizability/correlations.csv?x=outside.{column.pk}&y=released"
    assert page.get(address).status_code == 200
    assert "‹b›" in str(page.get(f"/generalizability/figure.json?x=outside.{column.pk}&y=released").json())
