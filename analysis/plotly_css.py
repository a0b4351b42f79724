"""Writes static/css/plotly.css: the style rules of the installed Plotly bundle.

Plotly adds these rules by a script, which the content security policy forbids. It does not add them if the page has a
style sheet with the id `plotly.js-style-global`. Plotly's map library, which no figure uses, adds no rules if the page
has elements with the ids that `style_ids` returns. templates/analysis/_chart_head.html has all of these ids. Run this
after every upgrade of Plotly:

    python -m analysis.plotly_css
"""

import re
from pathlib import Path

import plotly

BUNDLE = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
TARGET = Path(__file__).resolve().parent.parent / "static" / "css" / "plotly.css"

STRING = r'"(?:[^"\\]|\\.)*"' + "|" + r"'(?:[^'\\]|\\.)*'"
TABLE = re.compile(rf'\{{"X,X div":(?:(?:{STRING}|\w+)|[:,])+\}}')
RULE = re.compile(rf"({STRING}|\w+):({STRING})")


def rules(bundle: str) -> dict[str, str]:
    """Selector -> declarations, in the bundle's order. Raises ValueError for a bundle of another structure."""
    table = TABLE.search(bundle)
    if table is None:
        raise ValueError("The bundle has no table of style rules where one was expected.")
    # In the bundle's selectors, X stands for the figure's root and Y for its notifier.
    return {
        _text(name).replace("X", ".js-plotly-plot .plotly").replace("Y", ".plotly-notifier"): _text(body)
        for name, body in RULE.findall(table.group())
    }


def style_ids(bundle: str) -> list[str]:
    """Ids that libraries in the bundle check. If the page has an element with the id, the library adds no style sheet."""
    return re.findall(r'if\(!document\.getElementById\("(\w+)"\)\)\{var \w+=document\.createElement\("style"\)', bundle)


def _text(literal: str) -> str:
    return literal[1:-1] if literal[0] in "\"'" else literal


def style_sheet(bundle: str) -> str:
    version = re.search(r"plotly\.js v([\d.]+)", bundle)
    number = version.group(1) if version else ""
    head = f"/* Rules of plotly.js {number} (MIT licence), written by analysis/plotly_css.py. */\n"
    # Plotly inserts each rule before the rules that it inserted earlier.
    body = (f"{selector} {{ {text} }}\n" for selector, text in reversed(rules(bundle).items()))
    return head + "".join(body)


if __name__ == "__main__":
    content = BUNDLE.read_text(encoding="utf-8")
    TARGET.write_text(style_sheet(content), encoding="utf-8")
    print(f"{TARGET.name} is written. Ids that _chart_head.html must have: {', '.join(style_ids(content))}")
