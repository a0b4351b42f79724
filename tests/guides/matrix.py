"""What the addresses of the guides answer, by GET and by POST, as in tests/accounts/matrix.py. Everybody may read them."""

from typing import Any

EVERYBODY = " ".join(["200"] * 6)
NOBODY_WRITES = " ".join(["405"] * 6)

ROWS: dict[str, tuple[str, str]] = {
    "docs/": (EVERYBODY, NOBODY_WRITES),
    "docs/<slug:guide>/": (EVERYBODY, NOBODY_WRITES),
    "methodology/": (EVERYBODY, NOBODY_WRITES),
}


def ids(owner: Any) -> dict[str, Any]:
    return {"<slug:guide>": "budgets"}
