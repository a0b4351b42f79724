"""Measures the time to render hostile texts as HTML, and the size of the HTML: `python -m benchmarks rendering`.

Prints the slowest and the largest of the texts of `tests/pages/dashboard/hostile_markdown.py`. Each is tried with 32,000
characters, the most that are rendered as Markdown, and with 256 KiB, the most in one note.
"""

import time
from typing import NamedTuple

from infrastructure.text.rendering import LONGEST_MARKDOWN, LONGEST_SHOWN, render_note
from tests.pages.dashboard.hostile_markdown import hostile_texts

SHOWN = 8
TRIES = 3


class Case(NamedTuple):
    """Result of a text. milliseconds: least CPU time of three tries; times: length of the HTML over that of the text"""

    milliseconds: float
    times: float
    name: str


def cases(length: int, *, tint: bool) -> list[Case]:
    render = render_note.__wrapped__
    cases_of_length = []
    for name, text in hostile_texts(length).items():
        before = text[::-1] if tint else None
        taken = []
        for _ in range(TRIES):
            started = time.process_time()
            html = render(text, before)
            taken.append(time.process_time() - started)
        cases_of_length.append(Case(min(taken) * 1000, len(html) / len(text), name))
    return cases_of_length


def main() -> None:
    for length in (LONGEST_MARKDOWN, LONGEST_SHOWN):
        for tint in (False, True):
            cases_of_length = cases(length, tint=tint)
            print(f"\n{length:,} characters{', compared with the text backwards' if tint else ''}")
            for title, column in (("slowest", 0), ("largest", 1)):
                print(f"  {title}")
                for case in sorted(cases_of_length, key=lambda case: case[column], reverse=True)[:SHOWN]:
                    print(f"    {case.name:20} {case.milliseconds:7.1f} ms {case.times:6.1f} times as long")
