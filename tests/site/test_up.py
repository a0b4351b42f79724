"""The processes of `up` are restarted when they die, and none survives `up`."""

import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import requests

from tests.data_folders import ROOT, copy_of, new_site
from tests.processes import is_alive
from tests.running_site import free_port, listens, up
from tests.waiting import patience, wait_until

pytestmark = pytest.mark.long


@pytest.fixture
def site(tmp_path):
    """The address of a site, its log and its supervising process."""
    copy_of(new_site, tmp_path)
    with up(tmp_path, ROOT, {}) as (address, log):
        yield address, log, supervisor_of(log.parent)


def supervisor_of(folder):
    (supervisor,) = [pid for pid in processes_of(folder) if parent(pid) == os.getpid()]
    return supervisor


def processes_of(folder):
    """All processes that were started with this data folder."""
    word = f"ECONEVALS_DATA_DIR={folder}".encode()
    return [pid for pid in pids() if word in read(pid, "environ").split(b"\0") and is_alive(pid)]


def pids():
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def read(pid, name):
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def parent(pid):
    fields = read(pid, "stat").rpartition(b")")[2].split()
    return int(fields[1]) if fields else 0


def forks(supervisor):
    """The worker and the web process, in the order of their start; the broker runs another program."""
    words = read(supervisor, "cmdline")
    found = sorted(pid for pid in pids() if parent(pid) == supervisor and read(pid, "cmdline") == words)
    return [pid for pid in found if is_alive(pid)]


def port_of(address):
    return int(address.rpartition(":")[2])


def test_the_forked_web_process_serves_pages_and_static_files(site):
    address, log, _ = site
    page = requests.get(f"{address}/login/", timeout=patience())
    assert page.status_code == 200
    style = next(part for part in page.text.split('"') if part.startswith("/static/") and part.endswith(".css"))
    assert requests.get(address + style, timeout=patience()).status_code == 200
    assert requests.get(f"{address}/nowhere/", timeout=patience()).status_code == 404
    assert "Traceback" not in log.read_text()


@pytest.mark.parametrize("which", [0, 1], ids=["worker", "web"])
def test_a_killed_process_is_restarted(site, which):
    address, log, supervisor = site
    before = forks(supervisor)
    os.kill(before[which], signal.SIGKILL)
    again = lambda: len(forks(supervisor)) == 2 and before[which] not in forks(supervisor)  # noqa: E731
    wait_until(again, log.read_text)
    assert before[1 - which] in forks(supervisor)
    wait_until(lambda: listens(port_of(address)), log.read_text)
    assert requests.get(f"{address}/login/", timeout=patience()).status_code == 200


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=["ctrl-c", "sigterm", "sigkill"])
def test_a_stopped_site_leaves_no_process_behind(site, sign):
    address, log, supervisor = site
    started = forks(supervisor)
    assert len(started) == 2
    os.kill(supervisor, sign)
    wait_until(lambda: not any(map(is_alive, [supervisor, *started])), log.read_text)
    assert not listens(port_of(address))
    assert "Traceback" not in log.read_text()


FAILS = """
import django
django.setup()
from econevals_site.management.commands import prepare
def handle(*args, **options): raise RuntimeError("no room for the files")
prepare.Command.handle = handle
from django.core.management import call_command
call_command("up")
"""


def test_the_worker_stops_if_the_static_files_cannot_be_prepared(tmp_path):
    copy_of(new_site, tmp_path)
    variables = os.environ | {"ECONEVALS_DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "econevals_site.settings"}
    done = subprocess.run(
        [sys.executable, "-c", FAILS], cwd=ROOT, env=variables, capture_output=True, timeout=patience()
    )
    assert done.returncode == 1
    assert b"no room for the files" in done.stderr
    assert not processes_of(tmp_path)


@pytest.fixture
def copied_code(tmp_path):
    left_out = shutil.ignore_patterns(".*", "data", "tests")
    return shutil.copytree(ROOT, tmp_path / "code", ignore=left_out)


@pytest.mark.skipif(not Path(sys.prefix, "installed").exists(), reason="needs the environment that bin/test makes")
def test_changed_templates_and_code_appear_in_the_running_site(copied_code, tmp_path):
    copy_of(new_site, tmp_path / "data")
    port, log = free_port(), tmp_path / "up.log"
    variables = {"ECONEVALS_DATA_DIR": str(tmp_path / "data"), "ECONEVALS_VENV": sys.prefix, "PORT": str(port)}
    running = lambda: processes_of(tmp_path / "data")  # noqa: E731

    def shows(word):
        with suppress(requests.ConnectionError):  # Nothing listens, or the web process is just stopping.
            return word in requests.get(f"http://127.0.0.1:{port}/login/", timeout=patience()).text
        return False

    def change(name, before, after):
        """Change the code; the new text appears, and no process has the old code."""
        text = (copied_code / name).read_text()
        assert before in text
        old = set(running()) - {watcher.pid}
        assert len(old) >= 3, "supervisor, worker, web"
        (copied_code / name).write_text(text.replace(before, after))
        wait_until(lambda: shows(after), log.read_text, every=0.2)
        assert not old & set(running())

    with log.open("wb") as out:
        watcher = subprocess.Popen(
            [copied_code / "bin" / "up", "--reload"], env=os.environ | variables, stdout=out, stderr=out
        )
    try:
        wait_until(lambda: shows("Log in") and len(running()) > 3, log.read_text, every=0.2)
        change("templates/account/login.html", "Log in", "Step in")
        change("accounts/forms.py", "User name or e-mail", "Name of the person")
    finally:
        watcher.terminate()
        watcher.wait(timeout=patience())
    wait_until(lambda: not running(), lambda: f"{running()} {log.read_text()}")
