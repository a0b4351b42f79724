"""The key of a provider exists only sealed in its row: not in logs, pages, exports, the queue, files or error pages."""

import base64
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from tests.data_folders import ROOT
from tests.security.canary_site import CONTROL, KEYS
from tests.waiting import patience

pytestmark = pytest.mark.long
UNPACKED = ("answer-", "rows", "export.", "log", "queue", "stolen-econevals.sqlite3", "stolen-econevals.sqlite3-wal")


def forms(key):
    """A key as bytes in every form that can be decoded."""
    plain = key.encode()
    found = {plain, plain.hex().encode(), plain.hex().upper().encode(), plain[::-1], plain.decode().encode("utf-16-le")}
    found |= {quote(key, safe="").encode(), quote_plus(key, safe="").encode(), key.replace("/", "\\/").encode()}
    found |= {key.replace("+", "\\u002B").encode(), key.replace("+", "&#x2B;").encode()}
    for shift in range(3):
        # Base64 of a longer text that holds the key; the edges depend on what stands beside it.
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            found.add(encode(b"." * shift + plain)[4:-4])
    return found | {plain[3:24], plain[-20:]}


@pytest.fixture(scope="module")
def left():
    """Every file that the site and its answers left, by name."""
    with tempfile.TemporaryDirectory(prefix="canary") as name:
        folder = Path(name)
        variables = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
        variables |= {"ECONEVALS_DATA_DIR": name, "DEBUG": "1", "LOG_LEVEL": "DEBUG"}
        variables |= {"OPENAI_API_KEY": KEYS["environment"], "DJANGO_SETTINGS_MODULE": "econevals_site.settings"}
        with (folder / "log").open("wb") as log:
            command = [sys.executable, "-m", "tests.security.canary_site", name]
            done = subprocess.run(command, cwd=ROOT, env=variables, stdout=log, stderr=log, timeout=patience())
        assert done.returncode == 0, (folder / "log").read_text()[-3000:]
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_site_leaves_every_kind_of_file_that_the_test_searches(left):
    """Nothing would be found in files that hold nothing."""
    for kind in UNPACKED:
        assert any(name.startswith(kind) for name in left), kind
    for name in ("rows", "export.jsonl", "stolen-econevals.sqlite3-wal"):
        assert CONTROL.encode() in left[name], name
    assert b" DEBUG " in left["log"]
    assert b"advance_next" in left["queue"] + b"".join(body for name, body in left.items() if "aof" in name)
    broken = [body for body in left.values() if b"A fault while a key is at hand." in body and b"Traceback" in body]
    assert len(broken) >= 2


@pytest.mark.parametrize("wire", KEYS)
def test_files_of_the_site_contain_no_key(wire, left):
    told = {name: form for form in forms(KEYS[wire]) for name, body in left.items() if form in body}
    assert not told


def test_repeated_keys_in_replies_are_replaced_by_a_mark(left):
    assert left["rows"].count(b"The key [key] (Authorization: Bearer [key]) or [key] is not right.") >= 4
