"""Answers of reports that do not follow from the guards of their views."""

ROWS = {
    # The query names nothing to compare, so they lead to the page of the comparison.
    "compare/report/": {"get": "302 302 302 302 302 403"},
    "compare/litmus/report/": {"get": "302 302 302 302 302 403"},
}
