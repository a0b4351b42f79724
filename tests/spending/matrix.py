"""What the new addresses of the spend page answer to everybody, by GET and by POST; see tests/accounts/matrix.py.

Anonymous, viewer, editor, owner, foreign owner, removed member.
"""

ROWS: dict[str, tuple[str, str]] = {
    "spend/spend.csv": ("302 200 200 200 200 403", "302 405 405 405 405 403"),
    "spend/figure.json": ("302 200 200 200 200 403", "302 405 405 405 405 403"),
}
