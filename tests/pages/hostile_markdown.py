"""Texts made to take long, or to become much HTML, when Markdown is rendered: a family each, of any length."""

from __future__ import annotations

import random


def hostile_texts(length: int) -> dict[str, str]:
    """About `length` characters each, none longer."""
    n, root = length, int((2 * length) ** 0.5) - 1
    texts = {
        "words": _fill("The price of product 12 fell to 3.14 dollars and **profit** rose; `a` next. ", n),
        "table rows": "|" + "a|" * 60 + "\n|" + "-|" * 60 + "\n" + _fill("|a\n", n),
        "rows without pipes": "|" + "a|" * 60 + "\n|" + "-|" * 60 + "\n" + _fill("a\n", n),
        "table in a quote": "> |" + "a|" * 60 + "\n> |" + "-|" * 60 + "\n" + _fill("> a\n", n),
        "just few enough cells": _fill("|" + "a|" * 60 + "\n|" + "-|" * 60 + "\n" + "a\n" * 62 + "\n", n),
        "wide headings": _fill("|" + "a|" * 900 + "\n|" + "-|" * 900 + "\n\n", n),
        "wide table": ("|" + "a|" * (n // 8) + "\n|" + "-|" * (n // 8) + "\n" + _fill("|\n", n // 4)),
        "full table": _fill("|a|a|a|a|\n|-|-|-|-|\n" + "|b|b|b|b|\n" * 5, n),
        "many tables": _fill("|\n|-\n\n", n),
        "table no body": _fill("|-|\n", n),
        "pipes": _fill("|", n),
        "stars": _fill("*", n),
        "star a": _fill("*a ", n),
        "star a_": _fill("*a_ ", n),
        "a star": _fill("a**b", n),
        "em pairs": _fill("*a* ", n),
        "nested em": _fill("*a **b ", n // 2) + _fill("b** a* ", n // 2),
        "strong em": _fill("***a ", n),
        "underscores": _fill("_a__b_ ", n),
        "tildes": _fill("~~a ~b~~ ", n),
        "tilde": _fill("~a", n),
        "star underscore": _fill("*_", n),
        "backticks": "".join("`" * i + " " for i in range(1, root)),
        "one backtick": _fill("`a ", n),
        "odd ticks": _fill("`` ` ", n),
        "fences": _fill("```\n", n),
        "fence open": "```\n" + _fill("a\n", n),
        "tildefence": _fill("~~~~\n```\n", n),
        "quotes": _fill(">", n),
        "quote lines": _fill("> > > > > > > > a\n", n),
        "quote stairs": "".join(">" * i + " a\n" for i in range(1, root)),
        "lazy quotes": ">" * 500 + _fill("a\n", n),
        "lists": _fill("- ", n),
        "list lines": _fill("- a\n", n),
        "list stairs": "".join(" " * (2 * i) + "- a\n" for i in range(root // 2)),
        "ordered": _fill("1. ", n),
        "ordered lines": _fill("1) a\n2. b\n", n),
        "list quote": _fill("- > ", n),
        "loose list": _fill("- a\n\n", n),
        "plus list": _fill("* - + ", n),
        "empty items": _fill("-\n", n),
        "list quote lines": _fill("> - ", 400) + "\n" + _fill("a\n", n),
        "brackets": _fill("[", n),
        "links": _fill("[a](b) ", n),
        "link open": _fill("[a](", n),
        "images": _fill("![a", n),
        "refs": _fill("[a]: b\n", n),
        "ref uses": "[a]: " + "x" * 1000 + "\n\n" + _fill("[a] ", n),
        "bang": _fill("![[]()", n),
        "lt": _fill("<", n),
        "html": _fill("<a ", n),
        "autolink": _fill("<http:a", n),
        "comment": _fill("<!-- ", n),
        "pi": _fill("<?", n),
        "cdata": _fill("<![CDATA[", n),
        "decl": _fill("<!A ", n),
        "ampersands": _fill("&", n),
        "entities": _fill("&amp; ", n),
        "numeric": _fill("&#0;", n),
        "headings": _fill("# a\n", n),
        "setext": _fill("a\n-\n", n),
        "setext long": _fill("a\n", n) + "=",
        "hr": _fill("---\n", n),
        "newlines": _fill("\n", n),
        "spaces": _fill(" ", n) + "a",
        "tabs": _fill("\t", n),
        "indented": _fill("    a\n", n),
        "hard": _fill("a  \n", n),
        "backslashes": _fill("\\", n),
        "backslash nl": _fill("\\\n", n),
        "a lines": _fill("a\n", n),
        "one char words": _fill("a ", n),
        "digits": _fill("1.", n),
        "dots": _fill("1.1.1.1.1 ", n),
        "unicode": _fill("é漢 ", n // 2),
        "controls": _fill("\u200b\x01", n),
        "marks": _fill("\ue000\ue001", n),
        "spread marks": _fill("a,.;b ", n),
        "gaps": _fill("a .  ", n),
        "gap spaces": "a" + " " * n + "b",
        "blank gaps": _fill("a" + " " * 500, n),
        "numbers": _fill("1,2.3% ", n),
        "random1": _mixed(n, "|-\n a"),
        "random2": _mixed(n, "*_~`a \n"),
        "random3": _mixed(n, ">-+*1.) \n\ta"),
        "random4": _mixed(n, "[]()!<>&;a`*\n"),
        "random5": _mixed(n, "|-:>`*_~#\n a1."),
    }
    return {name: text[:length] for name, text in texts.items()}


def _fill(unit: str, length: int) -> str:
    return (unit * (length // len(unit) + 1))[:length]


def _mixed(length: int, alphabet: str) -> str:
    return "".join(random.Random(1).choices(alphabet, k=length))
