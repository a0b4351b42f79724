"""Operation of a site: health, readiness, metrics, and logs as JSON."""

import io
import json
import logging
import re

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from econevals_site.configuration.refusals import strong_secret
from econevals_site.configuration.services import logging_config
from econevals_site.operation import addresses
from infrastructure import broker
from infrastructure.processes.logs import JSONLines, log_ids
from runs.engine import lease
from runs.engine.advance import advance
from runs.engine.writing import group_commit as group_commit_module
from runs.engine.writing.entries import Orphans, Settlement, write
from runs.engine.writing.group_commit import GroupCommit
from runs.models import Run
from tests.cast import exchange_of, settled
from tests.stub_provider import StubAnswer, StubProvider

TOKEN = "0f3c5a79b1d2e4867a90c1b2d3e4f506"
STRANGE = "10.0.0.7:8000"
SAMPLE = re.compile(r'^econevals_(\w+(?:\{\w+="\w*"\})?) (\S+)$')


@pytest.fixture
def monitor(settings):
    """Ask an address as Prometheus does: by a number, over HTTP, with the token."""
    settings.METRICS_TOKEN, settings.SECURE_SSL_REDIRECT = TOKEN, True
    return lambda path, token=TOKEN: Client().get(path, headers={"Host": STRANGE, "Authorization": f"Bearer {token}"})


@pytest.fixture
def metrics(monitor):
    def read():
        lines = [line for line in monitor("/metrics").text.splitlines() if not line.startswith("#")]
        return {name: float(value) for name, value in (SAMPLE.match(line).groups() for line in lines)}

    return read


def test_health_needs_no_host_log_in_or_database(monitor, django_assert_num_queries):
    with django_assert_num_queries(0):
        answer = monitor("/health")
    assert (answer.status_code, answer.text) == (200, "ok\n")
    assert Client().head("/health", headers={"Host": STRANGE}).status_code == 200
    assert Client().post("/health").status_code == 405
    assert Client().get("/login/", headers={"Host": STRANGE}).status_code == 400


def test_readiness_reports_what_is_missing(monitor, monkeypatch, tmp_path, settings):
    monkeypatch.setattr(broker, "answers", lambda: True)
    monkeypatch.setattr(addresses, "_has_all_migrations", False)
    assert monitor("/ready").json() == {"database": True, "broker": True, "migrations": True}
    monkeypatch.undo()
    settings.BROKER_URL = f"unix://{tmp_path}/none.sock"
    answer = monitor("/ready")
    assert (answer.status_code, answer.json()["broker"], answer.json()["database"]) == (503, False, True)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'runs'")
    addresses._has_all_migrations = False
    assert monitor("/ready").json()["migrations"] is False


def test_metrics_need_their_token(monitor, settings, page):
    for token in ("", "wrong", TOKEN[:-1], f"{TOKEN} "):
        answer = monitor("/metrics", token)
        assert (answer.status_code, answer.text.count("\n")) == (401, 1) and "ECONEVALS_METRICS_TOKEN" in answer.text
    assert page.get("/metrics").status_code == 401
    settings.METRICS_TOKEN = ""
    assert monitor("/metrics").status_code == monitor("/metrics", "").status_code == 404


def test_a_weak_metrics_token_prevents_the_start():
    assert (
        strong_secret("ECONEVALS_METRICS_TOKEN", "") == "" and strong_secret("ECONEVALS_METRICS_TOKEN", TOKEN) == TOKEN
    )
    with pytest.raises(ImproperlyConfigured, match="ECONEVALS_METRICS_TOKEN is shorter than 32 characters"):
        strong_secret("ECONEVALS_METRICS_TOKEN", "short")


def test_metrics_count_runs_calls_and_dollars_of_the_full_site(metrics, launch, monkeypatch, django_assert_num_queries):
    monkeypatch.setattr(lease, "held", {})
    before = metrics()
    assert (before['runs{state="queued"}'], before["oldest_due_run_seconds"], before["due_runs"]) == (0, 0, 0)
    runs = list(launch("random", seeds=(0, 1, 2, 3)).runs.order_by("id"))
    Run.objects.filter(pk=runs[3].pk).update(created_at=timezone.now() - timezone.timedelta(hours=1))
    Run.objects.filter(pk=runs[2].pk).update(state="paused", pause_cause="credit")
    commits = GroupCommit()
    for run in runs[:2]:
        lease.take(run.pk)
        run.refresh_from_db()
        commits.intend(run.pk, run.fence, exchange_of(run, 2 * 10**9))
    commits.intend(runs[0].pk, runs[0].fence, call := exchange_of(runs[0], 10**9))
    commits.settle(Settlement(runs[0].pk, runs[0].fence, settled(call, 5 * 10**8)))
    # The second run is taken over: its call is lost and booked at its maximum.
    Run.objects.filter(pk=runs[1].pk).update(fence=runs[1].fence + 1)
    write([Orphans(runs[1].pk, runs[1].fence + 1, {}, [timezone.now()])])
    with django_assert_num_queries(9 if connection.vendor == "postgresql" else 8):
        after = metrics()
    assert {name: after[name] for name in after if after[name] != before[name]} == {
        'runs{state="queued"}': 1,
        'runs{state="running"}': 2,
        'runs{state="paused"}': 1,
        'runs_paused{cause="credit"}': 1,
        "due_runs": 1,
        "oldest_due_run_seconds": pytest.approx(3600, abs=600),
        "leased_runs": 2,
        "workers_playing": 1,
        "open_calls": 1,
        "month_booked_dollars": 2.5,
        "month_reserved_dollars": 2,
        'day_estimated_dollars{outcome="lost"}': 2,
    } | {name: after[name] for name in after if name.startswith("database_") and after[name] != before[name]}


def test_metrics_contain_no_names(monitor, launch, organization):
    launch("random")
    text = monitor("/metrics").text
    assert not re.search("market|lab|random|pricing|alice", text, re.IGNORECASE)
    for line in text.splitlines():
        assert re.match(r"# (HELP|TYPE) econevals_\w+ ", line) or SAMPLE.match(line), line


@pytest.fixture
def written():
    """The JSON lines that loggers write during the test."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JSONLines())
    logging.getLogger().addHandler(handler)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    logging.getLogger().removeHandler(handler)


def test_json_log_lines_contain_no_fields_of_libraries(written):
    with log_ids(run=41):
        try:
            with log_ids(call=812):
                raise ValueError("Two\nlines")
        except ValueError:
            logging.getLogger("runs").warning("It %s.", "failed", exc_info=True, extra={"headers": "sk-secret"})
    (line,) = written()
    assert line.keys() == {"time", "level", "logger", "message", "run", "error"}
    assert (line["message"], line["run"], line["level"]) == ("It failed.", 41, "WARNING")
    assert line["error"].endswith("ValueError: Two\nlines")


def test_log_lines_about_a_call_state_run_and_call(written, launch, model_agent, monkeypatch, settings, tmp_path):
    settings.DATA_DIR, absences = tmp_path, [OperationalError("away")]

    def away_once(entries):
        if isinstance(entries[0], Settlement) and absences:
            raise absences.pop()
        write(entries)

    monkeypatch.setattr(group_commit_module, "write", away_once)
    with StubProvider(lambda *_: StubAnswer(status=500, error="no")) as stub:
        run = launch(model_agent(stub).slug).runs.get()
        advance(run.pk)
    line = next(line for line in written() if line["message"].startswith("The database is away"))
    assert (line["run"], line["call"]) == (run.pk, run.exchanges.get().pk)


def test_an_unknown_log_format_is_refused():
    assert logging_config("INFO", "json")["handlers"]["console"]["formatter"] == "json"
    with pytest.raises(ImproperlyConfigured, match="ECONEVALS_LOG_FORMAT must be plain or json, not 'xml'."):
        logging_config("INFO", "xml")
