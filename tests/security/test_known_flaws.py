"""A known vulnerability fails the checks; an unreachable advisory service is reported and not counted as a pass."""

import json
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from threading import Thread

import pytest

from tests.data_folders import ROOT
from tests.security.known_flaws import ask_by_project, verdict

SOUND = {"name": "sound", "version": "1.0", "vulns": []}
UNKNOWN = {"name": "unknown", "skip_reason": "Dependency not found on PyPI and could not be audited: unknown (1.0)"}
FLAWED = {"name": "flawed", "version": "1.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1"]}]}


@pytest.mark.parametrize(
    "packages, fails, said",
    [
        ([SOUND, FLAWED, UNKNOWN], True, "flawed 1.0: PYSEC-1, fixed in 1.1"),
        ([SOUND], False, "None of 1 packages has a known vulnerability."),
        ([SOUND, UNKNOWN], False, "1 of 2 packages could not be checked: unknown"),
    ],
)
def test_a_known_vulnerability_fails_and_the_verdict_states_what_was_checked(packages, fails, said):
    found = verdict({"dependencies": packages})
    assert found.fails == fails and said in found.text
    assert ("None of 1 packages" in found.text) == (not fails) and ("NOT CHECKED" in found.text) == (
        UNKNOWN in packages
    )


@pytest.mark.parametrize("report", [None, {"dependencies": []}, {"dependencies": [UNKNOWN]}])
def test_an_unchecked_package_is_never_called_safe(report):
    found = verdict(report, "No route to host")
    assert not found.fails
    assert "NOT CHECKED" in found.text and "None of" not in found.text


PROJECTS = {
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


@pytest.fixture
def index(tmp_path):
    """A server that has only the pages of projects."""
    for name, project in PROJECTS.items():
        (tmp_path / "pypi" / name).mkdir(parents=True)
        (tmp_path / "pypi" / name / "json").write_text(json.dumps(project))
    pages = partial(SimpleHTTPRequestHandler, directory=tmp_path)
    with ThreadingHTTPServer(("127.0.0.1", 0), pages) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_an_index_with_only_the_newest_versions_is_queried_for_those(index):
    skipped = [{"name": name, "skip_reason": "not found"} for name in ("django", "celery", "numpy", "unknown")]
    found = verdict(ask_by_project({"dependencies": [*skipped, SOUND]}, index))
    assert found.fails and f"celery {version('celery')}: PYSEC-1, fixed in 99.0" in found.text
    assert "PYSEC-2" not in found.text and "2 of 5 packages could not be checked: numpy, unknown" in found.text


def test_an_unreachable_index_changes_no_verdict():
    report = {"dependencies": [UNKNOWN, SOUND]}
    assert ask_by_project(report, "http://127.0.0.1:1") == report


def test_the_checks_include_the_search_for_known_flaws():
    assert "python -m tests.security.known_flaws" in (ROOT / "tests" / "__main__.py").read_text()
