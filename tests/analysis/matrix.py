"""What the addresses of saved leaderboards answer, by GET and by POST without a body, as in tests/accounts/matrix.py."""

from __future__ import annotations

ROLES = ("anonymous", "viewer", "editor", "owner", "foreign owner", "removed member")
ROWS: dict[str, tuple[str, str]] = {
    "leaderboards/": ("302 200 200 200 200 403", "302 405 405 405 405 403"),
    "leaderboards/new/": ("302 403 404 404 404 403", "302 403 404 404 404 403"),
    "leaderboards/pinned/": ("302 200 200 200 200 403", "302 405 405 405 405 403"),
    "leaderboards/<int:board_id>/": ("302 200 200 200 404 403", "302 405 405 405 405 403"),
    "leaderboards/<int:board_id>/change/": ("302 403 200 200 404 403", "302 403 422 422 404 403"),
    "leaderboards/<int:board_id>/duplicate/": ("302 403 405 405 405 403", "302 403 302 302 404 403"),
    "leaderboards/<int:board_id>/delete/": ("302 403 405 405 405 403", "302 403 302 302 404 403"),
    "leaderboards/<int:board_id>/pin/": ("302 403 405 405 405 403", "302 403 302 302 404 403"),
    "leaderboards/<int:board_id>/unpin/": ("302 403 405 405 405 403", "302 403 302 302 404 403"),
    "leaderboards/<int:board_id>/up/": ("302 403 405 405 405 403", "302 403 302 302 404 403"),
    "leaderboards/<int:board_id>/down/": ("302 403 405 405 405 403", "302 403 302 302 404 403"),
}
