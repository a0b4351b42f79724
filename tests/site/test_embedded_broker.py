"""The broker of a one-machine site is expendable: whatever became of its files, it starts."""

import signal
import tempfile
from pathlib import Path

import pytest

from infrastructure import broker
from tests.runs.limiter_server import eventually


@pytest.fixture
def folder(settings):
    with tempfile.TemporaryDirectory(prefix="broker") as name:
        settings.DATA_DIR, settings.REDIS_URL = Path(name), ""
        settings.VALKEY_SOCKET = Path(name) / "valkey.sock"
        settings.BROKER_URL = f"unix://{settings.VALKEY_SOCKET}"
        yield Path(name)


def end(process):
    process.terminate()
    process.wait()


def test_a_broken_append_only_file_does_not_keep_it_from_starting(folder):
    end(broker.start_if_down())
    (broken,) = folder.glob("appendonlydir/*.incr.aof")
    broken.write_bytes(b"*1\r\nM*3\r\n$9\r\n" * 10)
    process = broker.start_if_down()
    assert process is not None and broker.is_up()
    end(process)


def test_it_is_started_again_when_it_dies(folder, monkeypatch):
    monkeypatch.setattr(broker, "LOOK_SECONDS", 0.1)
    keeper = broker.Keeper()
    try:
        first = broker.client().info("server")["process_id"]
        keeper._process.send_signal(signal.SIGKILL)
        keeper._process.wait()
        eventually(broker.is_up)
        assert broker.client().info("server")["process_id"] != first
    finally:
        keeper.stop()
