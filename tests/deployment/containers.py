"""The services of docker-compose.yml as processes: no engine for containers is needed.

They have what containers would give them: the commands, variables, users and health checks of the file, packages of
requirements.txt and nothing else, code that they cannot write to, a data folder and a /tmp each, a host name each, no
capabilities. Names, ports and folders inside of a container are replaced by those on this machine, see `Container.put`.
"""

import importlib.metadata
import os
import pwd
import re
import shutil
import subprocess
import sys
import sysconfig
from contextlib import suppress
from pathlib import Path

from packaging.requirements import Requirement

from tests.data_folders import ROOT
from tests.deployment.files import DockerIgnore, health_check, image_command, image_environment
from tests.waiting import patience, wait_until

IS_ROOT = os.geteuid() == 0
FRESH_UID = 61_000 + os.getpid() % 4_000
"""Of no account of this machine, like the user that the image makes."""


def as_user(uid):
    """Arguments that run a command as this user without privileges; empty if privileges cannot be dropped."""
    if not IS_ROOT:
        return []
    return ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--no-new-privs", "--bounding-set=-all",
            "--inh-caps=-all"]  # fmt: skip


def on_host(name):
    """Arguments that run a command with this host name; empty if it cannot be changed for a single process."""
    words = ["unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', name]
    return words if subprocess.run([*words, "true"], capture_output=True).returncode == 0 else []


def pinned(path):
    """The requirements of a file that bin/lock wrote, without their hashes."""
    return [Requirement(line) for line in re.findall(r"^(\w.*) \\$", path.read_text(), re.MULTILINE)]


class Image:
    """Code, packages and Python, as the Dockerfile puts them together."""

    def __init__(self, folder):
        self.app, self.venv, self.library = folder / "app", folder / "venv", folder / "python" / "lib"
        ignore = DockerIgnore((ROOT / ".dockerignore").read_text())
        for path in self._files():
            name = str(path.relative_to(ROOT))
            if not ignore.leaves_out(name):
                (self.app / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, self.app / name)
        self._install(folder)
        subprocess.run([sys.executable, "-m", "compileall", "-q", "."], cwd=self.app, check=True)
        subprocess.run(["chmod", "-R", "a+rX,go-w", str(folder)], check=True)
        if not IS_ROOT:
            subprocess.run(["chmod", "-R", "a-w", str(self.app)], check=True)

    def _files(self):
        left = {".git", ".venv", "data", "tests"}  # Large, and left out by a pattern in any case; the time is ours.
        for top in ROOT.iterdir():
            if top.name not in left:
                yield from [top] if top.is_file() else (p for p in top.rglob("*") if p.is_file())

    def _install(self, folder):
        """A virtual environment with the packages of requirements.txt out of the one that the tests run in."""
        python = interpreter(folder)
        target = self.venv / "lib" / f"python{sysconfig.get_python_version()}" / "site-packages"
        target.mkdir(parents=True)
        (self.venv / "bin").mkdir()
        (self.venv / "bin" / "python").symlink_to(python)
        (self.venv / "pyvenv.cfg").write_text(f"home = {python.parent}\n")
        for requirement in pinned(ROOT / "requirements.txt"):
            if requirement.marker is None or requirement.marker.evaluate():
                self._take(importlib.metadata.distribution(requirement.name), target)

    def _take(self, distribution, target):
        for entry in {file.parts[0] for file in distribution.files or [] if file.parts[0] not in {"..", "__pycache__"}}:
            if not (target / entry).exists():
                source = Path(str(distribution.locate_file(entry)))
                if may_read(source):
                    (target / entry).symlink_to(source)
                else:
                    shutil.copytree(source, target / entry) if source.is_dir() else shutil.copy(source, target / entry)
        for script in distribution.entry_points.select(group="console_scripts"):
            path = self.venv / "bin" / script.name
            module, _, function = script.value.partition(":")
            start = f"#!{self.venv}/bin/python\nimport sys\nfrom {module} import {function}\nsys.exit({function}())\n"
            path.write_text(start)
            path.chmod(0o755)


def interpreter(folder):
    """The Python that runs this, or a copy in the folder where other users cannot get to it."""
    path = Path(os.path.realpath(sys.executable))
    if may_read(path):
        return path
    copy, library = folder / "python", Path(sysconfig.get_path("stdlib"))
    left_out = shutil.ignore_patterns("site-packages", "test", "tests", "idlelib")
    shutil.copytree(library, copy / "lib" / library.name, symlinks=True, ignore=left_out)
    shared = Path(sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("INSTSONAME"))
    if shared.exists():
        shutil.copy(shared, copy / "lib")
    (copy / "bin").mkdir()
    return Path(shutil.copy(path, copy / "bin"))


def may_read(path):
    if not IS_ROOT:
        return os.access(path, os.R_OK)
    who = {"user": FRESH_UID, "group": FRESH_UID, "extra_groups": []}
    return subprocess.run(["test", "-r", str(path)], cwd="/", **who).returncode == 0


class Container:
    """One service: its folder holds the volume `data` and `tmp`, the memory of a container's /tmp."""

    def __init__(self, name, service, folder, image, put):
        self.name, self.service, self.folder, self.image = name, service, folder, image
        self.data, self.tmp, self.log = folder / "data", folder / "tmp", folder / "log"
        self.put = {"/tmp/": f"{self.tmp}/", "/data": str(self.data)} | put
        self.uid = self._uid()
        self.process = None
        self.prefix = [*(on_host(name) if IS_ROOT else []), *as_user(self.uid)]
        folder.mkdir()
        folder.chmod(0o755)
        for path in (self.data, self.tmp):
            path.mkdir(mode=0o700)
            if IS_ROOT:
                os.chown(path, self.uid, self.uid)

    def _uid(self):
        if not IS_ROOT:
            return os.geteuid()
        # Docker's images have accounts of the same names as Debian's packages.
        return pwd.getpwnam(self.service["user"]).pw_uid if "user" in self.service else FRESH_UID

    @property
    def environment(self):
        """The service's and the image's, as Docker gives them; HOME is left out, for nothing may be written there."""
        programs = "/usr/local/bin:/usr/bin:/bin"
        path = f"{self.image.venv}/bin:{programs}" if self.image else programs
        given = (image_environment() if self.image else {}) | self.service["environment"]
        told = {name: self.here(value) for name, value in given.items()}
        copied = {"LD_LIBRARY_PATH": str(self.image.library)} if self.image else {}
        return copied | {"PATH": path, "TMPDIR": str(self.tmp), "LANG": "C.UTF-8"} | told

    def here(self, text):
        """A text for the inside of a container, as it is on this machine."""
        if text.startswith(str(self.folder.parent)):
            return text
        inside = "|".join(map(re.escape, sorted(self.put, key=len, reverse=True)))
        return re.sub(inside, lambda match: self.put[match[0]], text)

    def _words(self, words):
        return [*self.prefix, *map(self.here, words)]

    def start(self):
        """docker compose up -d"""
        command = self.service.get("command") or image_command()
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self._words(command), cwd=self.cwd, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip

    @property
    def cwd(self):
        return self.image.app if self.image else self.data

    def run(self, *words, check=True):
        """docker compose exec, or run --rm"""
        done = subprocess.run(
            self._words(list(words)),
            cwd=self.cwd,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=patience(),
        )
        assert not check or done.returncode == 0, f"{words}: {done.stdout[-1000:]} {done.stderr[-3000:]}"
        return done

    def is_healthy(self):
        return self.run(*health_check(self.service), check=False).returncode == 0

    def wait(self):
        """Until it is healthy, as those that depend on it do."""

        def healthy():
            assert self.process.poll() is None, self.last_words()
            return self.is_healthy()

        # A ping of the workers is a process that competes with theirs.
        wait_until(healthy, self.last_words, seconds=400, every=4.0)

    def stop(self):
        """docker compose stop: SIGTERM to its first process."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(timeout=patience())

    def kill(self):
        """SIGKILL to all of its processes."""
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, 9)
            self.process.wait()

    def last_words(self):
        return f"{self.name}: {self.log.read_text(errors='replace')[-3000:]}"
