"""Texts that would execute code as HTML, and texts that are slow to render or grow when rendered."""

import random

REPEATED = [
    "The price of product 12 fell to 3.14 dollars and **profit** rose; `a` next. ", "|\n|-\n\n", "|-|\n", "|", "*",
    "*a ", "*a_ ", "a**b", "*a* ", "***a ", "_a__b_ ", "~~a ~b~~ ", "~a", "*_", "`a ", "`` ` ", "```\n",
    "~~~~\n```\n", ">", "> > > > > > > > a\n", "- ", "- a\n", "1. ", "1) a\n2. b\n", "- > ", "- a\n\n", "* - + ",
    "-\n", "[", "[a](b) ", "[a](", "![a", "[a]: b\n", "![[]()", "<", "<a ", "<http:a", "<!-- ", "<?", "<![CDATA[",
    "<!A ", "&", "&amp; ", "&#0;", "# a\n", "a\n-\n", "---\n", "\n", "\t", "    a\n", "a  \n", "\\", "\\\n", "a\n",
    "a ", "1.", "1.1.1.1.1 ", "\u200b\x01", "\ue000\ue001", "a,.;b ", "a .  ", "1,2.3% ",
]  # fmt: skip
"""Texts of one piece over and over."""

DANGEROUS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[click](javascript:alert(1))",
    "![picture](http://attacker.example/x.png)",
    "<http://attacker.example>",
    "[a]: http://attacker.example\n\n[a]",
    "<style>body{display:none}</style>",
    "`<b>`",
    "&lt;script&gt;",
    "\ue000<script>\ue001",
]
"""Texts that would load or run something if they were not cleaned."""


def hostile_texts(length):
    """About `length` characters each, none longer."""
    n, root = length, int((2 * length) ** 0.5) - 1
    texts = {repr(piece): _fill(piece, n) for piece in REPEATED} | {
        "table rows": "|" + "a|" * 60 + "\n|" + "-|" * 60 + "\n" + _fill("|a\n", n),
        "rows without pipes": "|" + "a|" * 60 + "\n|" + "-|" * 60 + "\n" + _fill("a\n", n),
        "table in a quote": "> |" + "a|" * 60 + "\n> |" + "-|" * 60 + "\n" + _fill("> a\n", n),
        "just few enough cells": _fill("|" + "a|" * 60 + "\n|" + "-|" * 60 + "\n" + "a\n" * 62 + "\n", n),
        "wide headings": _fill("|" + "a|" * 900 + "\n|" + "-|" * 900 + "\n\n", n),
        "wide table": ("|" + "a|" * (n // 8) + "\n|" + "-|" * (n // 8) + "\n" + _fill("|\n", n // 4)),
        "full table": _fill("|a|a|a|a|\n|-|-|-|-|\n" + "|b|b|b|b|\n" * 5, n),
        "nested em": _fill("*a **b ", n // 2) + _fill("b** a* ", n // 2),
        "backticks": "".join("`" * i + " " for i in range(1, root)),
        "fence open": "```\n" + _fill("a\n", n),
        "quote stairs": "".join(">" * i + " a\n" for i in range(1, root)),
        "lazy quotes": ">" * 500 + _fill("a\n", n),
        "list stairs": "".join(" " * (2 * i) + "- a\n" for i in range(root // 2)),
        "list quote lines": _fill("> - ", 400) + "\n" + _fill("a\n", n),
        "ref uses": "[a]: " + "x" * 1000 + "\n\n" + _fill("[a] ", n),
        "setext long": _fill("a\n", n) + "=",
        "spaces": _fill(" ", n) + "a",
        "unicode": _fill("é漢 ", n // 2),
        "gap spaces": "a" + " " * n + "b",
        "blank gaps": _fill("a" + " " * 500, n),
        "random1": _mixed(n, "|-\n a"),
        "random2": _mixed(n, "*_~`a \n"),
        "random3": _mixed(n, ">-+*1.) \n\ta"),
        "random4": _mixed(n, "[]()!<>&;a`*\n"),
        "random5": _mixed(n, "|-:>`*_~#\n a1."),
    }
    return {name: text[:length] for name, text in texts.items()}


def _fill(unit, length):
    return (unit * (length // len(unit) + 1))[:length]


def _mixed(length, alphabet):
    return "".join(random.Random(1).choices(alphabet, k=length))
