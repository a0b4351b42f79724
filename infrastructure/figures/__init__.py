"""Figures as plain data: pure functions from records to {"data", "layout"}, as Plotly reads it.

Colours are tokens ("token:accent"), which the page's script replaces by the site's own, in light and dark. Text holds
no pseudo-HTML, because Plotly would turn it into inline styles that the content security policy forbids.
"""
