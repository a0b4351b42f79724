"""An archive is sent, looked at, and stored or let go of."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import AuditEntry, Membership, User
from environments.registry import ENVIRONMENTS
from runs.models import Experiment, Run
from tests.transfer.published_log import write_log, write_patience
from transfer.models import ImportArchive, ImportUpload

PLACE = "/experiments/import/"


@pytest.fixture
def send(page, worked):
    """Send an archive and have it read; the page that shows what is in it."""

    def send(file):
        answer = page.post(PLACE, {"file": file})
        assert answer.status_code == 302
        assert worked() == 1
        return page.get(answer["Location"])

    return send


def test_the_preview_says_what_was_recognised_and_what_is_refused_and_stores_nothing(send, zipped, tmp_path):
    write_log(tmp_path, "scheduling", name="good")
    (write_log(tmp_path, "pricing", name="bad") / "logs.csv").write_text("attempt_num\n0\n")
    answer = send(zipped())
    text = answer.content.decode()
    assert "1 run can be imported" in text and "Scheduling BASIC, seed 0" in text
    assert "bad/logs.csv, line 1: missing columns: prices, quantities, profits, total profits." in text
    assert not Run.objects.exists() and not Experiment.objects.exists()


def test_storing_makes_an_experiment_of_marked_runs_and_tells_the_audit_log(page, send, worked, zipped, tmp_path):
    write_log(tmp_path, "scheduling")
    send(zipped())
    place = f"{PLACE}{ImportUpload.objects.get().pk}/"
    page.post(f"{place}store/", {"name": "Spring runs"})
    assert worked() == 1
    experiment = Experiment.objects.get()
    assert (experiment.name, experiment.created_by.username) == ("Spring runs", "alice")
    text = page.get(place).content.decode()
    assert "Imported 1 run as the experiment" in text and f'href="/experiments/{experiment.pk}/"' in text
    assert '<span class="tag">imported</span>' in page.get(f"/experiments/{experiment.pk}/").content.decode()
    assert not ImportArchive.objects.exists()
    assert (
        AuditEntry.objects.get(action="runs.imported").subject == f"old-logs.zip: 1 run as experiment {experiment.pk}"
    )


def test_an_archive_can_be_let_go_of(page, send, zipped, tmp_path):
    write_log(tmp_path, "scheduling")
    send(zipped())
    page.post(f"{PLACE}{ImportUpload.objects.get().pk}/discard/")
    assert not ImportUpload.objects.exists() and not Run.objects.exists()


def test_what_is_no_zip_is_refused_beside_the_field(page):
    answer = page.post(PLACE, {"file": SimpleUploadedFile("notes.zip", b"hello")})
    assert answer.status_code == 422
    assert "notes.zip is not a zip archive." in answer.content.decode()


def test_an_archive_is_seen_by_nobody_but_who_sent_it(page, sent, tmp_path, organization):
    write_log(tmp_path, "scheduling")
    kept = sent()
    other = User.objects.create_user("erin", "erin@example.org", "correct horse battery")
    Membership.objects.create(organization=organization, user=other, role="editor")
    page.force_login(other)
    for place in (f"{PLACE}{kept.pk}/", f"{PLACE}{kept.pk}/live/", f"{PLACE}{10**9}/"):
        assert page.get(place).status_code == 404
    assert page.post(f"{PLACE}{kept.pk}/store/").status_code == 404


def test_viewers_cannot_import(viewer, zipped, tmp_path):
    write_log(tmp_path, "scheduling")
    assert viewer.get(PLACE).status_code == 403
    assert viewer.post(PLACE, {"file": zipped()}).status_code == 403


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_every_page_of_an_imported_run_opens(environment, page, stored, tmp_path):
    if environment == "patience_vs_impatience":
        write_patience(tmp_path)
    else:
        write_log(tmp_path, environment)
    run = stored().experiment.runs.get()
    text = page.get(f"/runs/{run.pk}/").content.decode()
    assert "imported" in text and "agree with those computed here" in text
    for place in (
        "notes/",
        "hidden/",
        "periods/1/?tab=transcript",
        "periods/1/?tab=raw",
        "run.eval",
        "run.csv",
        "live/",
    ):
        answer = page.get(f"/runs/{run.pk}/{place}")
        assert answer.status_code == 200, place
        assert b"".join(answer.streaming_content if answer.streaming else [answer.content])
    for place in (
        f"/experiments/{run.experiment_id}/",
        "/experiments/",
        "/",
        "/leaderboard/",
        "/litmus/",
        "/ledger/",
        "/agents/",
    ):
        assert page.get(place).status_code == 200, place


def test_an_imported_run_is_never_played_again(page, stored, tmp_path):
    from runs.engine import lease

    write_log(tmp_path, "procurement", periods=5, played=2, name="broken")
    write_log(tmp_path, "scheduling", name="whole")
    runs = list(stored().experiment.runs.all())
    for run in runs:
        before = Run.objects.values().get(pk=run.pk)
        for action in ("pause", "resume", "cancel", "retry"):
            page.post(f"/runs/{run.pk}/{action}/")
        assert lease.take_next(baselines=True) is None
        assert Run.objects.values().get(pk=run.pk) == before


def test_imported_models_cannot_be_launched(page, stored, tmp_path, organization):
    from dashboard.selectors.agents import agent_rows
    from runs.models import Agent

    write_log(tmp_path, "scheduling")
    stored()
    agent = Agent.objects.get(imported=True)
    assert agent.pk not in [row.agent.pk for row in agent_rows(organization=organization)]
    fields = {"environments": ["pricing"], "difficulties": ["BASIC"], "seeds": "0", "agents": [agent.pk]}
    assert page.post("/experiments/new/", fields).status_code == 422
