"""Texts that grow when they are shown."""

from __future__ import annotations


def table(characters: int) -> str:
    """A Markdown table of about this length: few characters a row, each of which is filled up to sixty cells."""
    head = "|" + "a|" * 60 + "\n|" + "-|" * 60 + "\n"
    return head + "|b\n" * ((characters - len(head)) // 3)
