"""The page of an archive in each state, its query counts, and refused uploads."""

import io
import socket
import zipfile
from contextlib import suppress
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models.functions import Now

from accounts.models import AuditEntry
from infrastructure.processes.presence import PAGE_WAITS_SECONDS, leave_mark
from runs.models import Experiment, Run
from runs.services import experiment_delete
from tests.workspace.transfer.published_log import write_log
from workspace.transfer.models import ImportArchive, ImportState, ImportUpload

PLACE = "/experiments/import/"
POLLS = "data-poll"


@pytest.fixture
def archive(sent, tmp_path):
    write_log(tmp_path, "scheduling", name="good")
    (write_log(tmp_path, "pricing", name="bad") / "logs.csv").write_text("attempt_num\n0\n")
    return sent()


@pytest.fixture
def live(page, archive):
    """The live part of the archive's page, which answers 204 if nothing changed."""

    def look():
        where = f"{PLACE}{archive.pk}/"
        whole, part = page.get(where), page.get(f"{where}live/")
        assert (whole.status_code, part.status_code) == (200, 200)
        assert part.text.split("csrfmiddlewaretoken")[0] in whole.text and "<h1>" in part.text
        if POLLS in part.text:
            version = part.text.split("?version=")[1].split('"')[0]
            assert page.get(f"{where}live/", {"version": version}).status_code == 204
        return part.text

    return look


@pytest.mark.long
def test_the_page_polls_while_a_worker_works_and_waits_for_decisions(live, page, archive, worked):
    text = live()
    assert POLLS in text and "Waiting for a worker" in text and "Stop reading" in text
    worked()
    text = live()
    assert POLLS not in text and "1 run can be imported" in text and "storing takes about" in text
    assert "Scheduling BASIC, seed 0" in text
    assert "bad/logs.csv, line 1: missing columns: prices, quantities, profits, total profits." in text
    assert not Run.objects.exists() and not Experiment.objects.exists()
    page.post(f"{PLACE}{archive.pk}/store/", {"name": "Spring runs"})
    text = live()
    assert POLLS in text and "Do not import" in text
    worked()
    text = live()
    experiment = Experiment.objects.get()
    assert (experiment.name, experiment.created_by.username) == ("Spring runs", "alice")
    assert POLLS not in text and "Imported 1 run as the experiment" in text and "Spring runs" in text
    assert "bad/logs.csv, line 1: missing columns" in text and f'href="/experiments/{experiment.pk}/"' in text
    assert '<span class="tag">imported</span>' in page.get(f"/experiments/{experiment.pk}/").text
    told = AuditEntry.objects.get(action="runs.imported").subject
    assert told == f"old-logs.zip: 1 run as experiment {experiment.pk}" and not ImportArchive.objects.exists()


def test_a_refused_archive_gets_the_reason_and_a_link_back(live, archive):
    ImportUpload.objects.update(state=ImportState.REFUSED, problem="It is <b>no</b> good.")
    text = live()
    assert POLLS not in text and "It is &lt;b&gt;no&lt;/b&gt; good." in text and f'href="{PLACE}"' in text


@pytest.mark.long
def test_the_page_reports_that_the_imported_experiment_was_deleted(live, page, archive, worked):
    worked()
    page.post(f"{PLACE}{archive.pk}/store/")
    worked()
    archive.refresh_from_db()
    experiment_delete(experiment=archive.experiment)
    assert "was deleted" in live()


@pytest.mark.long
def test_a_waiting_archive_reports_whether_a_worker_is_running(live, archive, broker_of_its_own):
    ImportUpload.objects.update(asked_at=Now() - timedelta(minutes=1))
    assert "No worker is running. Reading begins by itself as soon as one is started" in live()
    leave_mark()
    assert "Other archives come first." in live()


@pytest.mark.long
def test_each_page_makes_a_single_short_request_to_an_unresponsive_broker(live, archive, settings):
    ImportUpload.objects.update(asked_at=Now() - timedelta(minutes=1))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings.BROKER_URL = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        assert "No worker is running." in live()
        silent.setblocking(False)
        asked = 0
        with suppress(BlockingIOError):
            while True:
                silent.accept()[0].close()
                asked += 1
    assert 1 <= asked <= 3 and PAGE_WAITS_SECONDS <= 0.05  # three pages


@pytest.mark.long
def test_a_running_import_states_the_time_left_and_whether_its_worker_died(live, archive):
    times = {"begun_at": Now() - timedelta(seconds=20), "claim_until": Now() + timedelta(seconds=10)}
    ImportUpload.objects.update(fence=1, done=10, total=30, **times)
    text = live()
    assert "Reading 10 of 30 (about 40 s left)" in text and '<progress max="30" value="10"' in text
    ImportUpload.objects.update(claim_until=Now() - timedelta(minutes=1))
    assert "Reading goes on by itself" in live()


@pytest.mark.long
def test_an_archive_is_stored_once_and_only_after_it_was_read(page, archive, worked):
    answer = page.post(f"{PLACE}{archive.pk}/store/", follow=True)
    assert "still being read" in answer.text
    worked()
    for _ in range(2):
        page.post(f"{PLACE}{archive.pk}/store/")
    assert worked() == 1
    assert "It was stored before it could be stopped" in page.post(f"{PLACE}{archive.pk}/discard/", follow=True).text


@pytest.mark.long
def test_import_pages_take_a_fixed_number_of_queries(page, archive, worked, django_assert_num_queries):
    with django_assert_num_queries(4):
        page.get(f"{PLACE}{archive.pk}/live/")
    with django_assert_num_queries(6):
        page.get(PLACE)
    worked()
    with django_assert_num_queries(5):
        page.get(f"{PLACE}{archive.pk}/live/")
    with django_assert_num_queries(7):
        page.get(f"{PLACE}{archive.pk}/")


@pytest.mark.long
def test_an_archive_is_listed_and_can_be_discarded(page, archive, worked):
    worked()
    text = page.get(PLACE).text
    assert "Your archives" in text and f'href="{PLACE}{archive.pk}/"' in text
    page.post(f"{PLACE}{archive.pk}/discard/")
    assert not ImportUpload.objects.exists() and not Run.objects.exists()


@pytest.mark.parametrize(
    ("path", "content", "why"),
    [
        ("a/logs.csv", b"\0" * 30_000_000, "unpacks to more than 200 times its size"),
        ("letters/hello.txt", b"hello", "logs.zip holds no folder with global_params.csv"),
        ("", b"hello", "logs.zip is not a zip archive."),
    ],
)
def test_an_invalid_archive_is_explained_beside_the_field_and_not_kept(path, content, why, page):
    buffer = io.BytesIO()
    if path:
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr(path, content)
    answer = page.post(PLACE, {"file": SimpleUploadedFile("logs.zip", buffer.getvalue() or content)})
    assert answer.status_code == 422 and why in answer.text
    assert not ImportUpload.objects.exists()
