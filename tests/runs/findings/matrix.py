"""Answers of findings that do not follow from the guards of their views."""

ROWS = {
    # A part of the page of the run.
    "runs/<int:run_id>/findings/": {"get": "302 302 302 302 404 403"},
}
