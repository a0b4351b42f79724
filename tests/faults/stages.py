"""Where the data of a site under faults is: a folder with SQLite, or a database of its own in a PostgreSQL server."""

import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg

from tests.running_site import free_port

LEASE_SECONDS = 3
SWEEP_SECONDS = 1
SLICE_SECONDS = 2
SHORT_TIMES = {
    "ECONEVALS_LEASE_SECONDS": str(LEASE_SECONDS),
    "ECONEVALS_SWEEP_SECONDS": str(SWEEP_SECONDS),
    "ECONEVALS_SLICE_SECONDS": str(SLICE_SECONDS),
}
CLEARED = ("DATABASE_URL", "REDIS_URL", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "DEBUG", "LD_PRELOAD")


@dataclass
class Stage:
    """A data folder and a database. cluster: the PostgreSQL server, where it is ours to restart.

    clock: variables under which the site's processes, but not the rig's, tell a time of their own
    """

    folder: Path
    database: Path | str
    variables: dict[str, str] = field(default_factory=dict)
    cluster: "Cluster | None" = None
    clock: dict[str, str] = field(default_factory=dict)

    @classmethod
    def on_sqlite(cls, folder, *, clock=None):
        folder.mkdir(parents=True, exist_ok=True)
        return cls(folder, folder / "econevals.sqlite3", _variables(folder), clock=clock or {})

    @classmethod
    @contextmanager
    def on_postgres(cls, folder, server, cluster=None, *, clock=None):
        """A database of a name of its own in a server named by any of its databases; dropped at the end."""
        folder.mkdir(parents=True, exist_ok=True)
        name = f"faults_{os.getpid()}_{uuid4().hex[:8]}"
        url = urlunsplit(urlsplit(server)._replace(path=f"/{name}"))
        execute(server, f'CREATE DATABASE "{name}"')
        try:
            more = {"DATABASE_URL": url, "SECRET_KEY": "only-for-tests-0123456789-abcdefgh"}
            yield cls(folder, url, _variables(folder) | more, cluster, clock or {})
        finally:
            execute(server, f'DROP DATABASE "{name}" WITH (FORCE)')


def _variables(folder):
    kept = {name: value for name, value in os.environ.items() if name not in CLEARED}
    return kept | {
        "ECONEVALS_DATA_DIR": str(folder),
        "ECONEVALS_ALLOW_PRIVATE_ENDPOINTS": "1",
        "PYTHONWARNINGS": "ignore",
        "DJANGO_SETTINGS_MODULE": "econevals_site.settings",
    }


def execute(server, statement):
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(statement)  # type: ignore[call-overload]


def postgres_programs():
    """The folder of initdb and pg_ctl, None where PostgreSQL is not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


class Cluster:
    """A PostgreSQL server of its own in a folder of its own, on a free port of this machine. It refuses to run as root.

    The folder is not in pytest's: each start of pytest closes that to other users, also under a server that runs.
    """

    def __init__(self):
        programs = postgres_programs()
        assert programs is not None, "PostgreSQL is not installed"
        self.programs = programs
        self.folder = Path(tempfile.mkdtemp(prefix="cluster."))
        self.user = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}
        if self.user:
            shutil.chown(self.folder, "postgres", "postgres")
        self.data, self.port = self.folder / "data", free_port()
        self._do("initdb", "-D", str(self.data), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
        self.start()
        self.url = f"postgres://postgres@127.0.0.1:{self.port}/postgres"

    def start(self):
        options = f"-p {self.port} -k {self.folder} -h 127.0.0.1"
        self._ctl("start", "-w", "-t", "60", "-l", str(self.folder / "log"), "-o", options)

    def crash(self):
        """Stop at once, as a power cut would: what was committed is recovered from its log at the next start."""
        self._ctl("stop", "-m", "immediate")

    def close(self):
        with suppress(subprocess.CalledProcessError):
            self.crash()
        shutil.rmtree(self.folder)

    def _ctl(self, *words):
        self._do("pg_ctl", "-D", str(self.data), *words)

    def _do(self, program, *words):
        with (self.folder / "programs.log").open("ab") as log:
            subprocess.run([self.programs / program, *words], stdout=log, stderr=log, cwd="/", check=True, **self.user)
