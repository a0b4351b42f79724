"""What every address of webhooks answers to everybody, by GET and by POST without a body; see tests/accounts/matrix.py.

Anonymous, viewer, editor, owner, foreign owner, removed member.
"""

from __future__ import annotations

ROWS: dict[str, tuple[str, str]] = {
    "organization/webhooks/": ("302 403 403 200 200 403", "302 403 403 405 405 403"),
    "organization/webhooks/new/": ("302 403 403 200 200 403", "302 403 403 422 422 403"),
    "organization/webhooks/<int:webhook_id>/": ("302 403 403 200 404 403", "302 403 403 405 405 403"),
    "organization/webhooks/<int:webhook_id>/change/": ("302 403 403 200 404 403", "302 403 403 422 404 403"),
    "organization/webhooks/<int:webhook_id>/test/": ("302 403 403 405 405 403", "302 403 403 302 404 403"),
    "organization/webhooks/<int:webhook_id>/pause/": ("302 403 403 405 405 403", "302 403 403 302 404 403"),
    "organization/webhooks/<int:webhook_id>/resume/": ("302 403 403 405 405 403", "302 403 403 302 404 403"),
    "organization/webhooks/<int:webhook_id>/secret/": ("302 403 403 405 405 403", "302 403 403 200 404 403"),
    "organization/webhooks/<int:webhook_id>/delete/": ("302 403 403 405 405 403", "302 403 403 302 404 403"),
    "organization/webhooks/<int:webhook_id>/deliveries/<int:delivery_id>/resend/": (
        "302 403 403 405 405 403",
        "302 403 403 302 404 403",
    ),
}
