"""Figures for readers outside the pages, with the colours of the light theme instead of CSS variables."""

import re
from functools import cache
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders

TOKEN = re.compile(r"--([\w-]+):\s*(?:light-dark\(([^,]+),|([^;]+);)")


@cache
def light_colours() -> dict[str, str]:
    """Every custom property of tokens.css in the light theme, by its name."""
    text = Path(str(finders.find("css/tokens.css"))).read_text(encoding="utf-8")
    return {name: (light or plain).strip() for name, light, plain in TOKEN.findall(text)}


def coloured(value: Any, key: str = "") -> Any:
    """Replace CSS variables in a figure by the colours and fonts of the light theme. Names of agents stay as they are."""
    if isinstance(value, dict):
        return {name: coloured(part, name) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [coloured(part, key) for part in value]
    is_style = key.endswith(("color", "colorscale")) or key == "family"
    if is_style and isinstance(value, str) and value.startswith("token:"):
        return light_colours()[value.removeprefix("token:")]
    return value
