"""What every address of findings answers to everybody, by GET and by POST without a body; see tests/accounts/matrix.py.

Anonymous, viewer, editor, owner, foreign owner, removed member.
"""

ROWS = {
    "findings/": ("302 200 200 200 200 403", "302 405 405 405 405 403"),
    "runs/<int:run_id>/findings/": ("302 302 302 302 404 403", "302 405 405 405 405 403"),
    "runs/<int:run_id>/findings/again/": ("302 403 405 405 405 403", "302 403 302 302 404 403"),
}
