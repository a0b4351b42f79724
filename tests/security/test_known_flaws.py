"""A known vulnerability fails the checks; an advisory service that is away is said, and is no pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.security.known_flaws import verdict

ROOT = Path(__file__).resolve().parent.parent.parent
SOUND = {"name": "sound", "version": "1.0", "vulns": []}
UNKNOWN = {"name": "unknown", "skip_reason": "Dependency not found on PyPI and could not be audited: unknown (1.0)"}
FLAWED = {"name": "flawed", "version": "1.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1"]}]}


def test_a_known_vulnerability_fails() -> None:
    found = verdict({"dependencies": [SOUND, FLAWED, UNKNOWN]})
    assert found.fails and "flawed 1.0: PYSEC-1, fixed in 1.1" in found.text
    assert "none of" not in found.text


def test_sound_packages_pass() -> None:
    found = verdict({"dependencies": [SOUND]})
    assert not found.fails and found.text == "pip-audit: none of 1 packages has a known vulnerability."


@pytest.mark.parametrize("report", [None, {"dependencies": []}, {"dependencies": [UNKNOWN]}])
def test_what_was_not_checked_is_never_called_sound(report: dict | None) -> None:
    found = verdict(report, "No route to host")
    assert not found.fails
    assert "NOT CHECKED" in found.text and "none of" not in found.text


def test_some_that_were_not_checked_are_named() -> None:
    found = verdict({"dependencies": [SOUND, UNKNOWN]})
    assert "1 of 2 packages could not be checked: unknown" in found.text and "none of 1 packages" in found.text


def test_the_checks_ask() -> None:
    assert "python -m tests.security.known_flaws" in (ROOT / "bin/test").read_text()
