"""Tables of pages, reports and files: a record of a table, and writers of CSV, JSON and LaTeX."""

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from infrastructure.text.csv_cells import csv_text

LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "±": r"$\pm$", "−": "$-$", "–": "--", "²": r"\textsuperscript{2}",
}  # fmt: skip
MATH = {"−": "-", "±": r"\pm ", "%": r"\%", "$": r"\$"}
MISSING = "–"


@dataclass(frozen=True)
class Printed:
    """A cell as printed, which leads to `link`. `small` follows it in small print, such as '8/12'.

    tone: 'good', 'warn', 'bad' or 'soft'; 'first' for the first cell of a group
    """

    text: str
    small: str = ""
    tone: str = ""
    link: str = ""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    name: its key in CSV and JSON
    title: its heading, the name if empty; pages write a name with a capital letter
    unit: follows the title
    group: a heading over neighbouring columns of the same group
    digits: decimals in print
    value_type: of its values, as the API documents it; a value can also be None. Printed numbers are float.
    description: of a value
    anchor: of the paragraph in the methodology
    """

    name: str
    title: str = ""
    unit: str = ""
    group: str = ""
    digits: int = 2
    value_type: type[object] = str
    description: str = ""
    anchor: str = ""

    @property
    def heading(self) -> str:
        title = self.title or self.name.replace("_", " ")
        return f"{title}, {self.unit}" if self.unit else title

    @property
    def is_number(self) -> bool:
        return self.value_type in (int, float)


def typed(kind: type[object], *names: str, unit: str = "") -> list[Column]:
    """Columns of this type without further properties."""
    return [Column(name, unit=unit, value_type=kind) for name in names]


@dataclass(frozen=True)
class Table:
    """A table. The cells of a row are in the order of the columns: texts, numbers, dates, Printed, or None if unknown.

    foot: a row of totals that pages show below the others; empty if there is none
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[object]]
    foot: Sequence[object] = ()

    @property
    def groups(self) -> list[tuple[str, int]]:
        """List (heading, number of columns) of neighbouring columns; empty if no column has a group."""
        groups = [(group, len(list(columns))) for group, columns in groupby(self.columns, lambda column: column.group)]
        return groups if any(group for group, _ in groups) else []

    @property
    def parts(self) -> list[tuple[str, list[list[tuple[Column, Printed]]]]]:
        """List (HTML element, rows) of the body and of the foot, without those that are empty."""
        return [
            (element, list(map(self._printed, rows)))
            for element, rows in (("tbody", self.rows), ("tfoot", [self.foot] if self.foot else []))
            if rows
        ]

    def _printed(self, row: Sequence[object]) -> list[tuple[Column, Printed]]:
        return [
            (column, value if isinstance(value, Printed) else Printed(printed(value, column.digits)))
            for column, value in zip(self.columns, row, strict=True)
        ]


def text_table(
    labels: Iterable[str | Column],
    rows: Iterable[Sequence[str | Printed]],
    foot: Sequence[str | Printed] = (),
    text_columns: int = 1,
    title: str = "",
) -> Table:
    """A table of texts. Unlike in other tables, an empty text is printed as an empty cell.

    labels: headings, or whole columns
    text_columns: number of columns at the left that hold words; the others hold printed numbers
    """
    columns = [
        label if isinstance(label, Column) else Column(label, label, value_type=str if index < text_columns else float)
        for index, label in enumerate(labels)
    ]
    return Table(title, columns, list(map(_texts, rows)), _texts(foot))


def _texts(row: Sequence[str | Printed]) -> list[Printed]:
    return [Printed(cell) if isinstance(cell, str) else cell for cell in row]


def finite_or_none(value: object) -> object:
    """Return the value, or None if it is a number that is not finite."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def printed(value: object, digits: int = 2) -> str:
    """Format a cell as text, with a true minus sign. A positive number that would round to 0 becomes '< 0.01'."""
    value = finite_or_none(value)
    if value is None or value == "":
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Printed):
        return f"{value.text} {value.small}".strip()
    if not isinstance(value, float):
        return str(value)
    if 0 < value < 0.5 * 10**-digits:
        return f"< {10**-digits:.{digits}f}"
    text = f"{value:.{digits}f}"
    return text.replace("-", "−") if float(text) else text.removeprefix("-")


def as_csv(table: Table) -> str:
    """Return the table as CSV, with unrounded numbers. Text that a spreadsheet would run as a formula is marked as text."""
    return csv_text([[column.name for column in table.columns], *(map(_plain, row) for row in table.rows)])


def as_records(table: Table) -> list[dict[str, object]]:
    """Return the rows as {name: value}, with unrounded numbers."""
    return [
        {column.name: _plain(value) for column, value in zip(table.columns, row, strict=True)} for row in table.rows
    ]


def as_text(table: Table) -> str:
    """Return the table for a terminal, with aligned columns and rounded numbers."""
    # The unit of a group comes last: 'Pricing BASIC, points of 100'.
    parts = [(column.heading, *column.group.partition(", ")) for column in table.columns]
    rows = [[f"{group} {heading}{comma}{unit}".strip() for heading, group, comma, unit in parts]]
    rows += [
        [printed(value, column.digits) for value, column in zip(row, table.columns, strict=True)] for row in table.rows
    ]
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    return "".join(
        "  ".join(
            cell.rjust(width) if column.is_number else cell.ljust(width)
            for cell, width, column in zip(row, widths, table.columns, strict=True)
        ).rstrip()
        + "\n"
        for row in rows
    )


def as_json(table: Table) -> str:
    """Return {"title", "columns": [{"name", "title", "unit"}], "rows": [{name: value}]} as JSON, with unrounded numbers."""
    document = {
        "title": table.title,
        "columns": [
            {"name": column.name, "title": column.title or column.name.replace("_", " "), "unit": column.unit}
            for column in table.columns
        ],
        "rows": as_records(table),
    }
    return json.dumps(document, ensure_ascii=False, indent=1, default=str, allow_nan=False) + "\n"


def _plain(value: object) -> object:
    value = finite_or_none(value)
    return value.isoformat() if isinstance(value, date) else printed(value) if isinstance(value, Printed) else value


def as_latex(table: Table) -> str:
    """Return a LaTeX tabular for the package booktabs. Numbers are rounded and aligned to the right."""
    over, rules, first_column = [], [], 1
    for group, count in table.groups:
        over.append(rf"\multicolumn{{{count}}}{{c}}{{{latex(group)}}}" if group else " & " * (count - 1))
        rules += [rf"\cmidrule(lr){{{first_column}-{first_column + count - 1}}}"] if group else []
        first_column += count
    lines = [
        rf"\begin{{tabular}}{{{''.join('r' if column.is_number else 'l' for column in table.columns)}}}",
        r"\toprule",
        *([_line(over), " ".join(rules)] if over else []),
        _line([latex(column.heading) for column in table.columns]),
        r"\midrule",
        *(_line([latex_cell(v, column.digits) for v, column in zip(row, table.columns, strict=True)]) for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def latex_cell(value: object, digits: int = 2) -> str:
    """Format a cell in LaTeX: numbers in math mode, small print in scriptsize."""
    if isinstance(value, Printed):
        small = rf" {{\scriptsize {latex(value.small)}}}" if value.small else ""
        return _math(value.text) + small
    text = printed(value, digits)
    return _math(text) if isinstance(value, int | float) else latex(text)


def _math(number: str) -> str:
    """Format a number in math mode. Texts with letters, such as 'below 1.0 %', stay text."""
    if number == MISSING or any(letter.isalpha() for letter in number):
        return latex(number)
    return f"${''.join(MATH.get(letter, letter) for letter in number)}$"


def latex(text: str) -> str:
    """Escape a text for LaTeX, and put it on one line."""
    return "".join(LATEX.get(letter, letter) for letter in " ".join(text.split()))


FORMS: dict[str, tuple[str, str, Callable[[Table], str]]] = {
    "csv": ("csv", "text/csv", as_csv),
    "json": ("json", "application/json", as_json),
    "latex": ("tex", "application/x-tex", as_latex),
}
"""File formats of a table, by name: file ending, content type and writer."""
