"""Reads outside columns from CSV: the first cell of a line is a name, each further cell a number. Pure."""

import csv
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.core.exceptions import ValidationError

MOST_BYTES, MOST_LINES, MOST_COLUMNS, MOST_NAME = 100_000, 2_000, 20, 100
"""Limits of a file, and of the length of a name."""

MOST_UNIT, MOST_SOURCE = 40, 300
"""The most characters of the unit and of the source of a file's columns."""

LARGEST = 1e15
"""The largest absolute value. Sums of squares of larger values would lose digits or overflow."""

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,2})?", re.ASCII)
SEPARATORS = ",;\t"


@dataclass(frozen=True)
class CsvColumn:
    name: str
    values: Mapping[str, float]


def columns_of_file(content: bytes) -> list[CsvColumn]:
    """Read the columns of a file in UTF-8, with or without byte order mark. Raises ValidationError with a sentence."""
    if len(content) > MOST_BYTES:
        raise ValidationError(f"The file has more than {MOST_BYTES // 1000} kB.")
    try:
        return columns_of(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise ValidationError("The file is not text in UTF-8. Save it as “CSV UTF-8”.") from None


def columns_of(text: str) -> list[CsvColumn]:
    """Read the columns of a CSV text. Its cells are separated by commas, semicolons or tabs.

    The first line has the names of the columns. An empty cell has no value. Raises ValidationError with a sentence that
    names the line.
    """
    lines = list(_lines(text.removeprefix("\ufeff")))
    if len(lines) < 2:
        raise ValidationError(
            "The file needs a line with the names of the columns, and a line for each agent or model."
        )
    (_, heads), rows = lines[0], lines[1:]
    names = [_name(head, 1) for head in heads[1:]]
    if not names:
        raise ValidationError("Line 1: at least two columns are needed, the names and a value.")
    if len(names) > MOST_COLUMNS:
        raise ValidationError(f"Line 1: at most {MOST_COLUMNS} columns of values are taken; there are {len(names)}.")
    _refuse_twice([(1, name) for name in names], "column")
    values: list[dict[str, float]] = [{} for _ in names]
    keys: list[tuple[int, str]] = []
    for number, (first, *cells) in rows:
        if len(cells) != len(names):
            raise ValidationError(f"Line {number}: {len(cells) + 1} cells, but line 1 has {len(heads)}.")
        key = _name(first, number)
        keys.append((number, key))
        for column, cell in zip(values, cells, strict=True):
            if cell:
                column[key] = _value(cell, number)
    _refuse_twice(keys, "name")
    if empty := [name for name, column in zip(names, values, strict=True) if not column]:
        raise ValidationError(f"The column “{empty[0]}” has no value.")
    return [CsvColumn(name, column) for name, column in zip(names, values, strict=True)]


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """(number, cells) of each line that is not empty."""
    head = text.partition("\n")[0]
    separator = max(SEPARATORS, key=head.count)
    # A lone carriage return must not end a line: editors number lines by line feeds.
    reader = csv.reader(text.replace("\r\n", "\n").split("\n"), delimiter=separator, strict=True)
    try:
        for cells in reader:
            if reader.line_num > MOST_LINES:
                raise ValidationError(f"The file has more than {MOST_LINES:,} lines.")
            stripped = [cell.strip() for cell in cells]
            if any(stripped):
                yield reader.line_num, stripped
    except csv.Error:
        raise ValidationError(
            f"Line {reader.line_num}: a quotation mark is not closed, or stands inside a cell."
        ) from None


def _name(text: str, line: int) -> str:
    if not text:
        raise ValidationError(f"Line {line}: a name is missing.")
    if len(text) > MOST_NAME:
        raise ValidationError(f"Line {line}: a name has at most {MOST_NAME} characters.")
    if not text.isprintable():
        raise ValidationError(f"Line {line}: a name has a character that cannot be printed.")
    return text


def _value(cell: str, line: int) -> float:
    number = float(cell) if NUMBER.fullmatch(cell) else math.nan
    if math.isnan(number):
        raise ValidationError(f"Line {line}: “{cell[:40]}” is not a number such as 0.25.")
    if abs(number) > LARGEST:
        raise ValidationError(f"Line {line}: {cell[:40]} is larger than {LARGEST:.0e}.")
    return number


def _refuse_twice(names: Sequence[tuple[int, str]], what: str) -> None:
    """Refuse names that differ in nothing but capital letters. names: (line, name)"""
    first: dict[str, int] = {}
    for line, name in names:
        if (earlier := first.get(name.casefold())) is not None:
            where = "is there twice" if earlier == line else f"is in line {earlier} already"
            raise ValidationError(f"Line {line}: the {what} “{name}” {where}.")
        first[name.casefold()] = line
