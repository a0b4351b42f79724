"""Figures as plain data: pure functions turn records into Plotly's {"data": ..., "layout": ...}.

Colours are tokens such as "token:accent". The page's script replaces them by the colours of the light or dark theme.
Text holds no pseudo-HTML, because Plotly would turn it into inline styles, which the content security policy forbids.
"""
