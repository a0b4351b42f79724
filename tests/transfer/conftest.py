from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def stored(organization: Any, alice: Any, tmp_path: Any) -> Any:
    """Import everything in the test's folder."""
    from transfer.reading.sources import opened
    from transfer.services.imports import import_store

    def store(**options: Any) -> Any:
        with opened(tmp_path) as source:
            return import_store(organization=organization, user=alice, source=source, **options)

    return store


@pytest.fixture
def sent(organization: Any, alice: Any, zipped: Any) -> Any:
    """The test's folder as an archive that alice sent and nobody has read yet."""
    from transfer.services.uploads import upload_create

    return lambda: upload_create(organization=organization, user=alice, file=zipped())


@pytest.fixture
def worked() -> Any:
    """Do what a worker does with the archives that wait, until none does; how many times there was one."""
    from transfer.tasks import import_one

    def work() -> int:
        times = 0
        while import_one():
            times += 1
        return times

    return work


@pytest.fixture
def zipped(tmp_path: Any) -> Any:
    """The test's folder as an uploaded zip."""
    import io
    import zipfile

    from django.core.files.uploadedfile import SimpleUploadedFile

    def make(name: str = "old-logs.zip") -> Any:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(tmp_path.rglob("*")):
                if path.is_file():
                    archive.write(path, path.relative_to(tmp_path))
        return SimpleUploadedFile(name, buffer.getvalue(), "application/zip")

    return make


@pytest.fixture
def broker_of_its_own(settings: Any) -> Any:
    """A broker that no other test and no worker uses."""
    import tempfile
    from pathlib import Path

    from infrastructure import broker

    with tempfile.TemporaryDirectory(prefix="broker") as name:
        settings.DATA_DIR, settings.REDIS_URL = Path(name), ""
        settings.VALKEY_SOCKET = Path(name) / "valkey.sock"
        settings.BROKER_URL = f"unix://{settings.VALKEY_SOCKET}"
        process = broker.start_if_down()
        yield
        assert process is not None
        process.terminate()
        process.wait()
