"""What the team set-up refuses to start with, and that the rest is clean for `check --deploy`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
LONG = "7Hq-a-long-random-secret-that-nobody-knows-0123456789-abcdefghij"
TEAM = {"DATABASE_URL": "postgres://nobody@127.0.0.1:1/none", "SECRET_KEY": LONG, "ALLOWED_HOSTS": "evals.example.org"}


def start(folder: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        [sys.executable, "manage.py", *(command or ("check",))],
        cwd=ROOT,
        env=kept | {"ECONEVALS_DATA_DIR": str(folder)} | variables,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"SECRET_KEY": ""}, "Set SECRET_KEY"),
        ({"SECRET_KEY": "django-insecure-0123456789"}, "everybody knows"),
        ({"SECRET_KEY": "changeme"}, "everybody knows"),
        ({"DEBUG": "1"}, "DEBUG shows secrets"),
        ({"ALLOWED_HOSTS": "evals.example.org,*"}, "ALLOWED_HOSTS must name"),
    ],
)
def test_the_team_set_up_refuses_in_one_sentence(tmp_path, change, sentence):
    done = start(tmp_path, **(TEAM | change))
    assert done.returncode != 0
    last = done.stderr.strip().splitlines()[-1]
    assert "ImproperlyConfigured" in last and sentence in last
    assert not (tmp_path / "secret_key").exists(), "none is generated"


def test_check_deploy_is_clean_behind_https(tmp_path):
    done = start(tmp_path, "check", "--deploy", "--fail-level", "WARNING", **TEAM, ECONEVALS_HTTPS="1")
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


def test_cookies_belong_to_this_host_alone_behind_https(tmp_path):
    code = "from django.conf import settings as s; print(s.SESSION_COOKIE_NAME, s.CSRF_COOKIE_NAME, s.SESSION_COOKIE_SECURE)"
    done = start(tmp_path, "shell", "--no-imports", "-c", code, **TEAM, ECONEVALS_HTTPS="1")
    assert done.stdout.split() == ["__Host-sessionid", "__Host-csrftoken", "True"], done.stderr


def test_one_machine_starts_without_any_variable(tmp_path):
    done = start(tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600


def test_half_a_single_sign_on_is_refused(tmp_path):
    done = start(tmp_path, ECONEVALS_OIDC_ISSUER="https://id.example.org")
    assert "ECONEVALS_OIDC_CLIENT_ID and ECONEVALS_OIDC_SECRET" in done.stderr


@pytest.mark.parametrize("url", ["http://mail.example.org", "smtp://"])
def test_a_mail_address_that_is_none_is_refused(tmp_path, url):
    assert "EMAIL_URL must be like" in start(tmp_path, EMAIL_URL=url).stderr
