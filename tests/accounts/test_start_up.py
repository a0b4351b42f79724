"""What the team set-up refuses to start with, and that the rest is clean for `check --deploy`."""

import os
import subprocess
import sys

import pytest

from tests.data_folders import ROOT

LONG = "7Hq-a-long-random-secret-that-nobody-knows-0123456789-abcdefghij"
TEAM = {"DATABASE_URL": "postgres://nobody@127.0.0.1:1/none", "SECRET_KEY": LONG, "ALLOWED_HOSTS": "evals.example.org"}


def start(folder, *command, **variables):
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
        ({"SECRET_KEY": "aaaa"}, "SECRET_KEY is shorter than 32 characters; make one with"),
        ({"SECRET_KEY": 16 * "aaaa"}, "SECRET_KEY repeats a few characters"),
        ({"SECRET_KEY": 2 * "0123456789abcdefghij"}, "SECRET_KEY repeats a few characters"),
        ({"SECRET_KEY_FALLBACKS": f"{LONG}0,aaaa"}, "One of SECRET_KEY_FALLBACKS is shorter"),
        ({"ECONEVALS_KEY_SECRETS": f"aaaa,{LONG}"}, "The first of ECONEVALS_KEY_SECRETS is shorter"),
        ({"DATABASE_URL": "postgres://econevals:...@postgres:5432/econevals"}, "The password in DATABASE_URL is"),
        ({"REDIS_URL": "redis://:changeme@redis:6379/0"}, "The password in REDIS_URL is one that everybody knows"),
        ({"DATABASE_URL": "postgres://econevals:ab/cd@postgres:5432/econevals"}, "DATABASE_URL cannot be read"),
        ({"REDIS_URL": "redis://:12/ab@redis:6379/0"}, "REDIS_URL cannot be read"),
        ({"DEBUG": "1"}, "DEBUG shows secrets"),
        ({"ALLOWED_HOSTS": "evals.example.org,*"}, "ALLOWED_HOSTS must name"),
    ],
)
def test_the_team_set_up_refuses_in_one_sentence(tmp_path, change, sentence):
    done = start(tmp_path, **(TEAM | change))
    assert done.returncode == 2
    (said,) = done.stderr.strip().splitlines()
    assert sentence in said
    assert not (tmp_path / "secret_key").exists(), "none is generated"


def test_a_weak_secret_of_earlier_days_still_opens_stored_keys(tmp_path):
    done = start(tmp_path, **TEAM, ECONEVALS_KEY_SECRETS=f"{LONG},aaaa")
    assert done.returncode == 0, done.stderr


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


@pytest.mark.parametrize(
    ("variable", "value", "sentence"),
    [
        ("ECONEVALS_OIDC_ISSUER", "https://id.example.org", "ECONEVALS_OIDC_CLIENT_ID and ECONEVALS_OIDC_SECRET"),
        ("EMAIL_URL", "http://mail.example.org", "EMAIL_URL must be like"),
        ("EMAIL_URL", "smtp://", "EMAIL_URL must be like"),
    ],
)
def test_half_a_single_sign_on_and_a_wrong_mail_address_are_refused(tmp_path, variable, value, sentence):
    assert sentence in start(tmp_path, **{variable: value}).stderr
