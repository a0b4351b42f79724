"""The marks of agents beside their names on a page, the same as in the figures."""

from django.utils.html import format_html
from django.utils.safestring import SafeString

from infrastructure.figures.colours import DOTTED, HOLLOW, AgentStyle

OUTLINES = {
    "circle": "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0Z",
    "square": "M-4.5 -4.5H4.5V4.5H-4.5Z",
    "diamond": "M0 -6L6 0L0 6L-6 0Z",
    "triangle-up": "M0 -5.5L5.5 4.5H-5.5Z",
    "x": "M-5.5 -3L-3 -5.5L0 -2.5L3 -5.5L5.5 -3L2.5 0L5.5 3L3 5.5L0 2.5L-3 5.5L-5.5 3L-2.5 0Z",
    "triangle-down": "M0 5.5L5.5 -4.5H-5.5Z",
    "cross": "M-2 -5.5H2V-2H5.5V2H2V5.5H-2V2H-5.5V-2H-2Z",
    "star": "M0 -6L1.6 -1.9L6 -1.9L2.4 0.8L3.7 5.2L0 2.6L-3.7 5.2L-2.4 0.8L-6 -1.9L-1.6 -1.9Z",
    "bowtie": "M-5.5 -5L5.5 5V-5L-5.5 5Z",
    "hourglass": "M-5 -5.5H5L-5 5.5H5Z",
}
"""SVG paths around the origin, for the symbols of Plotly."""


def mark(style: AgentStyle) -> SafeString:
    """The mark as SVG. It says nothing to screen readers, because the name of the agent stands beside it."""
    kind = " hollow" if HOLLOW in style.symbol else ""
    symbol = style.symbol.removesuffix(DOTTED).removesuffix(HOLLOW)
    return format_html(
        '<svg class="mark colour-of-{}{}" viewBox="-7 -7 14 14" aria-hidden="true"><path d="{}"/><circle r="{}"/></svg>',
        *(style.number, kind, OUTLINES[symbol], "1.2" if style.is_baseline else "0"),
    )
