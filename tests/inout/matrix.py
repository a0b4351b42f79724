"""What the addresses of exports and imports answer, as in `tests/accounts/matrix.py`: GET, then POST without a body.

Numbers name an experiment, a run and an upload of the owner's.
"""

from __future__ import annotations

ROWS: dict[str, tuple[str, str]] = {
    "experiments/import/": ("302 403 200 200 200 403", "302 403 422 422 422 403"),
    "experiments/import/<int:upload_id>/": ("302 403 404 200 404 403", "302 403 405 405 405 403"),
    "experiments/import/<int:upload_id>/store/": ("302 403 405 405 405 403", "302 403 404 302 404 403"),
    "experiments/import/<int:upload_id>/discard/": ("302 403 405 405 405 403", "302 403 404 302 404 403"),
    "exports/": ("302 200 200 200 200 403", "302 405 405 405 405 403"),
    r"^exports/runs\.(?P<form>jsonl|csv)$": ("302 200 200 200 200 403", "302 405 405 405 405 403"),
    r"^runs/(?P<run_id>\d{1,18})/run\.(?P<form>jsonl|csv|eval)$": (
        "302 200 200 200 404 403",
        "302 405 405 405 405 403",
    ),
}
