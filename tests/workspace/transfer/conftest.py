import tempfile
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from infrastructure import broker
from tests.workspace.transfer.published_log import write_log, zip_of
from workspace.transfer.reading.sources import opened
from workspace.transfer.services.imports import import_preview, import_store
from workspace.transfer.services.uploads import IMPORTS, upload_create


@pytest.fixture
def stored(organization, alice, tmp_path):
    """Import everything in a place, else in the test's folder."""

    def store(place=tmp_path):
        with opened(place) as source:
            return import_store(organization=organization, user=alice, source=source)

    return store


@pytest.fixture
def previewed(organization, tmp_path):
    """The rows of a preview of a place, else of the test's folder."""

    def look(place=tmp_path):
        with opened(place) as source:
            return import_preview(organization=organization, source=source)

    return look


@pytest.fixture
def imported(stored, tmp_path):
    """Import the only log of the test's folder, written first where it is told of. Returns its run."""

    def store(*environment, **options):
        if environment:
            write_log(tmp_path, *environment, **options)
        related = ("instance", "agent", "rival", "experiment", "source")
        return stored().experiment.runs.select_related(*related).get()

    return store


@pytest.fixture
def sent(organization, alice, tmp_path):
    """The test's folder as an archive that alice sent and that is not read yet."""

    def send():
        file = SimpleUploadedFile("old-logs.zip", zip_of(tmp_path), "application/zip")
        return upload_create(organization=organization, user=alice, file=file)

    return send


@pytest.fixture
def worked():
    """Read and store archives as a worker does, until none is due. Returns how many there were."""
    return lambda: sum(1 for _ in iter(IMPORTS.work_next, False))


@pytest.fixture
def broker_of_its_own(settings):
    """A broker that no other test and no worker uses."""
    with tempfile.TemporaryDirectory(prefix="broker") as name:
        settings.DATA_DIR, settings.REDIS_URL = Path(name), ""
        settings.VALKEY_SOCKET = Path(name) / "valkey.sock"
        settings.BROKER_URL = f"unix://{settings.VALKEY_SOCKET}"
        process = broker.start_if_down()
        yield
        assert process is not None
        process.terminate()
        process.wait()
