"""Reads CSV files of unknown origin row by row."""

from __future__ import annotations

import codecs
import csv
import hashlib
import re
import time
from collections.abc import Callable, Iterator
from itertools import islice
from typing import IO, Any

from games.logs.cells import Cells, LogRefused
from workspace.transfer.reading.sources import SourceFile, refuse_if

MAX_CELL = 8 * 1024 * 1024
MAX_ROW = 32 * 1024 * 1024
"""The most characters of a row. A logged chat of a hard instance has about a hundred thousand."""

MAX_ROWS = 200_000
MAX_COLUMNS = 200
CHUNK = 256 * 1024
CUT_IN_QUOTES = "unexpected end of data"
"""Python's error for a file that ends inside a quoted cell."""

LONE_RETURN, STAND_IN = re.compile(r"\r(?!\n)"), "\ufdd0"
"""If rows end in a line feed, Python's CSV writer does not quote a carriage return, but its reader
takes it for the end of the row. STAND_IN is an unused character that replaces it while reading."""

csv.field_size_limit(MAX_CELL)


def rows(
    file: SourceFile, needed: tuple[str, ...], digest: Any = None, on_cut: Callable[[int], None] | None = None
) -> Iterator[Cells]:
    """The rows after the heading. Iteration raises LogRefused if the file is not a plain table.

    digest: a hash to update with every byte
    on_cut: called with the number of the line where a truncated last row begins, which is left out. Without it a table
        with such a row is refused
    """
    lines = _Lines(file, digest or hashlib.sha256(), may_be_cut=on_cut is not None)
    with file.open() as opened:
        reader = csv.reader(lines.read(opened), strict=True)
        heading = _row(reader, lines)
        if not heading:
            raise LogRefused(f"{file.path} is empty.")
        refuse_if(
            len(heading) == 1 and ";" in heading[0],
            f"{file.path}, line 1: its columns are separated by semicolons. Save it with commas.",
        )
        refuse_if(
            len(heading) > MAX_COLUMNS or len(set(heading)) != len(heading),
            f"{file.path}, line 1: a heading appears twice or there are more than {MAX_COLUMNS}.",
        )
        if missing := [name for name in needed if name not in heading]:
            raise LogRefused(f"{file.path}, line 1: missing columns: {', '.join(missing)}.")
        number = 0
        while (row := _row(reader, lines)) is not None:
            if on_cut and lines.ends_within(row, heading):
                on_cut(lines.row_begins)
                return
            if row:
                number += 1
                refuse_if(number > MAX_ROWS, f"{file.path} has more than {MAX_ROWS:,} rows.")
                if len(row) != len(heading):
                    raise lines.refuse(f"there are {len(row)} cells under {len(heading)} headings")
                yield Cells(str(file.path), reader.line_num, dict(zip(heading, row, strict=True)))


def one_row(file: SourceFile, digest: Any = None) -> Cells:
    first_rows = list(islice(rows(file, (), digest), 2))
    refuse_if(
        len(first_rows) != 1,
        f"{file.path} must hold one row of parameters, but it holds {'none' if not first_rows else 'more'}.",
    )
    return first_rows[0]


def _row(reader: Any, lines: _Lines) -> list[str] | None:
    lines.of_row, lines.row_begins, lines.has_returns = 0, lines.number + 1, False
    try:
        row: list[str] | None = next(reader, None)
    except csv.Error as error:
        if lines.may_be_cut and str(error) == CUT_IN_QUOTES:
            return []
        raise lines.refuse(f"the table is broken ({error})") from None
    return [cell.replace(STAND_IN, "\r") for cell in row] if row and lines.has_returns else row


class _Lines:
    """The lines of a file as text, up to a maximum length."""

    def __init__(self, file: SourceFile, digest: Any, *, may_be_cut: bool):
        self.file = file
        self.until = time.monotonic() + file.seconds
        self.digest = digest
        self.may_be_cut = may_be_cut
        self.is_over = False
        self.rest = ""
        self.number = 0
        self.of_row = 0
        self.row_begins = 1
        self.has_returns = False

    def refuse(self, wrong: str, where: str = "line", beyond: int = 0) -> LogRefused:
        return LogRefused(f"{self.file.path}, {where} {self.number + beyond}: {wrong}.")

    def ends_within(self, row: list[str], heading: list[str]) -> bool:
        """Whether the file ends in the middle of this last row.

        The published code ends every row with a line end. A row without one is complete if it has all cells and the
        last cell is empty or closed by a quote.
        """
        if not self.is_over or not row:
            return self.is_over and bool(self.of_row)
        is_closed = len(row) == len(heading) and self.rest.rstrip("\r").endswith((",", '"'))
        return bool(self.rest) and len(row) <= len(heading) and not is_closed

    def read(self, opened: IO[bytes]) -> Iterator[str]:
        decoder = codecs.getincrementaldecoder("utf-8-sig")("strict")
        chunk = None
        while chunk != b"":
            chunk = self._chunk(opened)
            try:
                # A file may be truncated in the middle of a character.
                self.rest += decoder.decode(chunk, final=not chunk and not self.may_be_cut)
            except UnicodeDecodeError:
                raise self.refuse("the text is not UTF-8", "after line") from None
            *whole, self.rest = self.rest.split("\n")
            for line in whole:
                yield self._checked(line + "\n")
            if len(self.rest) > MAX_CELL:
                raise self.refuse(f"the line is longer than {MAX_CELL:,} characters", beyond=1)
        self.is_over = True
        if self.rest:
            yield self._checked(self.rest)

    def _chunk(self, opened: IO[bytes]) -> bytes:
        if time.monotonic() > self.until:
            raise LogRefused(f"{self.file.path} takes longer than {self.file.seconds:.0f} seconds to read.")
        try:
            chunk = opened.read(CHUNK)
        except Exception:
            # A zip with a wrong check sum or broken data raises several kinds of errors.
            raise self.refuse("the file cannot be unpacked", "after line") from None
        self.digest.update(chunk)
        return chunk

    def _checked(self, line: str) -> str:
        self.number += 1
        self.of_row += len(line)
        if "\0" in line:
            raise self.refuse("there is a NUL character")
        if self.of_row > MAX_ROW:
            raise self.refuse(f"the row is longer than {MAX_ROW:,} characters")
        if "\r" in line and LONE_RETURN.search(line):
            self.has_returns = True
            return LONE_RETURN.sub(STAND_IN, line)
        return line
