"""Start-up: invalid team settings are refused, and valid settings pass `check --deploy`."""

import os
import ssl
import subprocess
import sys
from secrets import token_hex

import pytest
import redis
from django.core.exceptions import ImproperlyConfigured
from kombu.utils.url import parse_url

from econevals_site.configuration.databases import redis_url
from econevals_site.configuration.refusals import refuse_proxies, weakness
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


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"SECRET_KEY": ""}, "Set SECRET_KEY"),
        ({"SECRET_KEY": "aaaa"}, "SECRET_KEY is shorter than 32 characters; make one with"),
        ({"SECRET_KEY_FALLBACKS": f"{LONG}0,aaaa"}, "One of SECRET_KEY_FALLBACKS is shorter"),
        ({"ECONEVALS_KEY_SECRETS": f"aaaa,{LONG}"}, "The first of ECONEVALS_KEY_SECRETS is shorter"),
        ({"DATABASE_URL": "postgres://econevals:...@postgres:5432/econevals"}, "The password in DATABASE_URL is"),
        ({"REDIS_URL": "redis://:12/ab@redis:6379/0"}, "REDIS_URL cannot be read"),
        ({"HTTPS_PROXY": "socks5://127.0.0.1:9"}, "HTTPS_PROXY must be like http://"),
        ({"REDIS_URL": "rediss://:pw-9x@redis:6380/0?ssl_cert_reqs=none"}, "REDIS_URL asks not to check"),
        ({"DEBUG": "1"}, "DEBUG shows secrets"),
        ({"ALLOWED_HOSTS": "evals.example.org,*"}, "ALLOWED_HOSTS must name"),
    ],
)
def test_the_team_setup_refuses_invalid_settings_with_a_sentence(tmp_path, change, sentence):
    done = start(tmp_path, **(TEAM | change))
    assert done.returncode == 2
    (said,) = done.stderr.strip().splitlines()
    assert sentence in said
    assert not (tmp_path / "secret_key").exists(), "none is generated"


@pytest.mark.parametrize("asked", ["", "?ssl_cert_reqs=required", "?ssl_cert_reqs=CERT_REQUIRED"])
def test_every_reader_of_the_address_of_a_broker_checks_its_certificate(asked):
    url = redis_url(f"rediss://:pw%2F9@redis:6380/1{asked}")
    pool = redis.ConnectionPool.from_url(url)
    assert pool.connection_class is redis.SSLConnection and pool.make_connection().cert_reqs == ssl.CERT_REQUIRED
    assert parse_url(url)["ssl"] == {"ssl_cert_reqs": ssl.CERT_REQUIRED}
    assert parse_url(url)["password"] == pool.connection_kwargs["password"] == "pw/9"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("rediss://redis:6380/0?ssl_cert_reqs=CERT_NONE", "asks not to check"),
        ("rediss://redis:6380/0?ssl_cert_reqs=optional", "asks not to check"),
        ("redis://redis:6379/0?ssl=true", "has the option ssl"),
        ("redis://redis:6379/0?socket_timeout=5", "has the option socket_timeout"),
        ("amqp://rabbit/0", "must be like redis://"),
        ("redis:6379", "must be like redis://"),
    ],
)
def test_an_address_that_readers_understand_differently_is_refused(url, words):
    with pytest.raises(ImproperlyConfigured, match=words):
        redis_url(url)
    assert redis_url("redis://:pw@redis:6379/0") == "redis://:pw@redis:6379/0" and redis_url("") == ""


@pytest.mark.parametrize("value", ["socks5://127.0.0.1:9", "127.0.0.1:3128", "socks5h://user:pw@proxy:1080"])
def test_a_proxy_that_calls_cannot_use_is_refused_without_its_password(monkeypatch, value):
    monkeypatch.setenv("all_proxy", value)
    with pytest.raises(ImproperlyConfigured, match="ALL_PROXY must be like http://") as refused:
        refuse_proxies()
    assert "pw" not in str(refused.value)
    monkeypatch.setenv("all_proxy", "http://proxy.example.org:3128")
    refuse_proxies()


def test_common_and_repetitive_secrets_are_weak():
    assert weakness("django-insecure-0123456789") == weakness("changeme") == "is one that everybody knows"
    assert weakness("passwordpasswordpasswordpassword1") == "is one that everybody knows"
    assert weakness("swordfishes-swordfishes-xyz-0042-q") == "repeats a few characters"
    assert weakness("abcdefghijklmnopqrstuvwxyz-123456") == weakness("QWERTYUIOPASDFGHJKLZXCVBNM12345678")
    assert weakness("QWERTYUIOPASDFGHJKLZXCVBNM12345678") == "is typed along an alphabet or a keyboard"
    assert not any(weakness(token_hex(32)) for _ in range(1000)) and not weakness(LONG)
    assert weakness(16 * "aaaa") == weakness(2 * "0123456789abcdefghij") == "repeats a few characters"


@pytest.mark.long
def test_check_deploy_passes_behind_https_with_a_weak_old_key_secret(tmp_path):
    """Cookies belong to this host alone."""
    code = """if True:
        from django.conf import settings
        from django.core.management import call_command
        call_command("check", deploy=True, fail_level="WARNING")
        print(settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME, settings.SESSION_COOKIE_SECURE)
    """
    variables = TEAM | {"ECONEVALS_HTTPS": "1", "ECONEVALS_KEY_SECRETS": f"{LONG},aaaa"}
    done = start(tmp_path, "shell", "--no-imports", "-c", code, **variables)
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout
    assert done.stdout.split()[-3:] == ["__Host-sessionid", "__Host-csrftoken", "True"]


@pytest.mark.long
def test_one_machine_starts_without_any_variable(tmp_path):
    done = start(tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600


@pytest.mark.sampled
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
