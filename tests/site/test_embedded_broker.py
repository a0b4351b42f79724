"""The broker of a one-machine site is expendable: it starts with any state of its files."""

import signal
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from redis import ResponseError

from econevals_site.celery import app
from infrastructure import broker
from runs.watching import worker_is_up
from tests.waiting import patience, wait_until


@pytest.fixture
def folder(settings):
    with tempfile.TemporaryDirectory(prefix="broker") as name:
        settings.DATA_DIR, settings.REDIS_URL = Path(name), ""
        settings.VALKEY_SOCKET = Path(name) / "valkey.sock"
        settings.BROKER_URL = f"unix://{settings.VALKEY_SOCKET}"
        yield Path(name)


@pytest.fixture
def server(folder):
    process = broker.start_if_down()
    yield process
    end(process)


def end(process):
    process.terminate()
    process.wait()


def test_a_broker_starts_with_a_broken_append_only_file(folder):
    end(broker.start_if_down())
    (broken,) = folder.glob("appendonlydir/*.incr.aof")
    broken.write_bytes(b"*1\r\nM*3\r\n$9\r\n" * 10)
    process = broker.start_if_down()
    assert process is not None and broker.is_up()
    end(process)


def test_a_dead_broker_is_restarted(folder, monkeypatch):
    monkeypatch.setattr(broker, "LOOK_SECONDS", 0.1)
    keeper = broker.Keeper()
    try:
        first = broker.client().info("server")["process_id"]
        keeper._process.send_signal(signal.SIGKILL)
        keeper._process.wait()
        wait_until(broker.is_up, lambda: "The broker is not started again.")
        assert broker.client().info("server")["process_id"] != first
    finally:
        keeper.close()


@pytest.mark.long
def test_a_slow_broker_is_not_started_twice_and_blocks_no_command(server):
    server.send_signal(signal.SIGSTOP)
    try:
        assert broker.start_if_down() is None
        assert not worker_is_up()
    finally:
        server.send_signal(signal.SIGCONT)


def test_a_worker_receives_messages_again_after_the_broker_refused_writes(folder, server):
    received = []
    with app.connection_for_read(f"redis+socket://{folder}/valkey.sock") as connection:
        for _ in range(2):
            app.send_task("runs.tasks.sweep", connection=connection)
        with app.amqp.TaskConsumer(connection, on_message=received.append) as consumer:
            consumer.qos(prefetch_count=1)
            connection.drain_events(timeout=patience())
            broker.client().config_set("min-replicas-to-write", 1)
            with suppress(ResponseError):  # A worker goes on too.
                received[0].ack()
            broker.client().config_set("min-replicas-to-write", 0)
            connection.drain_events(timeout=patience())
    assert len(received) == 2
