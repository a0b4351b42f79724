"""A known vulnerability fails the checks; an advisory service that is away is said, and is no pass."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.security.known_flaws import ask_by_project, verdict

ROOT = Path(__file__).resolve().parent.parent.parent
SOUND = {"name": "sound", "version": "1.0", "vulns": []}
UNKNOWN = {"name": "unknown", "skip_reason": "Dependency not found on PyPI and could not be audited: unknown (1.0)"}
FLAWED = {"name": "flawed", "version": "1.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1"]}]}


def test_a_known_vulnerability_fails() -> None:
    found = verdict({"dependencies": [SOUND, FLAWED, UNKNOWN]})
    assert found.fails and "flawed 1.0: PYSEC-1, fixed in 1.1" in found.text
    assert "None of" not in found.text


def test_sound_packages_pass() -> None:
    found = verdict({"dependencies": [SOUND]})
    assert not found.fails and found.text == "None of 1 packages has a known vulnerability."


@pytest.mark.parametrize("report", [None, {"dependencies": []}, {"dependencies": [UNKNOWN]}])
def test_what_was_not_checked_is_never_called_sound(report: dict | None) -> None:
    found = verdict(report, "No route to host")
    assert not found.fails
    assert "NOT CHECKED" in found.text and "None of" not in found.text


def test_some_that_were_not_checked_are_named() -> None:
    found = verdict({"dependencies": [SOUND, UNKNOWN]})
    assert "1 of 2 packages could not be checked: unknown" in found.text and "None of 1 packages" in found.text


PROJECTS: dict[str, dict[str, Any]] = {
    "django": {"info": {"version": version("django")}, "vulnerabilities": []},
    "celery": {
        "info": {"version": version("celery")},
        "vulnerabilities": [
            {"id": "PYSEC-1", "fixed_in": ["99.0"], "withdrawn": None},
            {"id": "PYSEC-2", "fixed_in": [], "withdrawn": "2026-01-01"},
        ],
    },
    "numpy": {"info": {"version": "9999.0"}, "vulnerabilities": []},
}


class Index(BaseHTTPRequestHandler):
    """The pages of projects and nothing else."""

    def do_GET(self) -> None:
        project = PROJECTS.get(self.path.removeprefix("/pypi/").removesuffix("/json"))
        self.send_response(200 if project else 404)
        self.end_headers()
        self.wfile.write(json.dumps(project).encode())

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def index() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Index) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_an_index_that_knows_only_newest_versions_is_asked_for_those(index: str) -> None:
    skipped = [{"name": name, "skip_reason": "not found"} for name in ("django", "celery", "numpy", "unknown")]
    found = verdict(ask_by_project({"dependencies": [*skipped, SOUND]}, index))
    assert found.fails and f"celery {version('celery')}: PYSEC-1, fixed in 99.0" in found.text
    assert "PYSEC-2" not in found.text and "2 of 5 packages could not be checked: numpy, unknown" in found.text


def test_an_index_that_is_away_changes_nothing() -> None:
    report = {"dependencies": [UNKNOWN, SOUND]}
    assert ask_by_project(report, "http://127.0.0.1:1") == report


def test_the_checks_ask() -> None:
    assert "python -m tests.security.known_flaws" in (ROOT / "bin/test").read_text()
