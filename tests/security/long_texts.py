"""Texts that grow when they are rendered."""


def table(characters):
    """A Markdown table of about this length: few characters a row, each of which is filled up to sixty cells."""
    head = "|" + "a|" * 60 + "\n|" + "-|" * 60 + "\n"
    return head + "|b\n" * ((characters - len(head)) // 3)
