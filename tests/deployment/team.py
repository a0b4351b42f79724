"""The whole team set-up: services of docker-compose.yml, nginx in front, and a person's browser."""

import http.client
import os
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.deployment.containers import FRESH_UID, IS_ROOT, Container, Image, as_user
from tests.deployment.files import ROOT, compose
from tests.faults.stages import postgres_programs
from tests.running_site import free_port

HOST = "evals.example.org"
NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin") or ""


class TeamSetUp:
    """Two workers; every other service once. Values of .env are those that docs/settings.md asks for, and `more`."""

    def __init__(self, **more: str):
        self.folder = Path(tempfile.mkdtemp(prefix="team-"))
        self.folder.chmod(0o755)
        self.port, self.tls_port = free_port(), free_port()
        names = ("SECRET_KEY", "POSTGRES_PASSWORD", "REDIS_PASSWORD")
        self.secrets = {name: os.urandom(32).hex() for name in names}
        self.services = compose(self.secrets | {"ALLOWED_HOSTS": HOST} | more)
        postgres, redis = free_port(), free_port()
        self.put = {
            "@postgres:5432": f"@127.0.0.1:{postgres}",
            "@redis:6379": f"@127.0.0.1:{redis}",
            "0.0.0.0": "127.0.0.1",
            "8000": str(self.port),
        }
        image = Image(self.folder / "image")
        apps = {"web": "web", "worker-1": "worker", "worker-2": "worker", "scheduler": "scheduler"}
        self.containers = {name: self._container(name, service, image) for name, service in apps.items()}
        self.redis = self._redis(redis)
        self.postgres = self._postgres(postgres)
        self.nginx: subprocess.Popen[bytes] | None = None
        self.database_url = self.containers["web"].environment["DATABASE_URL"]

    def _container(self, name: str, service: str, image: Image | None, **put: str) -> Container:
        return Container(name, self.services[service], self.folder / name, image, self.put | put)

    def _redis(self, port: int) -> Container:
        configuration = f"{self.folder}/redis/tmp/redis.conf --port {port} --bind 127.0.0.1"
        there = {"redis-server /tmp/redis.conf": f"redis-server {configuration}", "redis-cli ": f"redis-cli -p {port} "}
        return self._container("redis", "redis", None, **there)

    def _postgres(self, port: int) -> Container:
        """Made as the image makes it on its first start: a superuser of the name, his password, a database."""
        programs = postgres_programs()
        assert programs is not None
        made = self._container("postgres", "postgres", None)
        made.service["environment"] |= {"PATH": f"{programs}:/usr/bin:/bin", "PGPORT": str(port)}
        told = made.service["environment"]
        (made.folder / "password").write_text(told["POSTGRES_PASSWORD"])
        (made.folder / "password").chmod(0o644)
        made.run("initdb", "-D", str(made.data), "-U", told["POSTGRES_USER"], "--pwfile", f"{made.folder}/password",
                 "-A", "scram-sha-256", "-E", "UTF8", "--no-sync")  # fmt: skip
        there = ["-D", str(made.data), "-k", str(made.tmp), "-h", "127.0.0.1", "-c", "fsync=off"]
        made.service["command"] = [*made.service.get("command", ["postgres"]), *there]
        return made

    def start_services(self) -> None:
        self.postgres.start()
        self.redis.start()
        self.postgres.wait()
        told = self.postgres.service["environment"]
        self.postgres.service["environment"] = told | {"PGPASSWORD": told["POSTGRES_PASSWORD"]}
        self.postgres.run("createdb", "-h", "127.0.0.1", "-U", told["POSTGRES_USER"], told["POSTGRES_DB"])
        self.redis.wait()

    def start(self, *names: str) -> None:
        """`docker compose up -d`, of which the web service comes first and the others once it is healthy."""
        chosen = [self.containers[name] for name in names or self.containers]
        for container in chosen:
            container.start()
            if container.name == "web":
                container.wait()
        with ThreadPoolExecutor() as pool:
            list(pool.map(Container.wait, chosen))

    def stop(self) -> None:
        """docker compose stop web worker scheduler"""
        for container in self.containers.values():
            if container.process is not None and container.process.poll() is None:
                container.process.terminate()
        for container in self.containers.values():
            container.stop()

    def start_nginx(self) -> None:
        """docs/nginx.conf, with the ports and the certificate of this test."""
        folder = self.folder / "nginx"
        folder.mkdir()
        write_certificate(folder)
        site = (ROOT / "docs" / "nginx.conf").read_text()
        for written, here in {
            "listen 443 ": f"listen 127.0.0.1:{self.tls_port} ",
            "listen 80;": f"listen 127.0.0.1:{free_port()};",
            "/etc/ssl/econevals": str(folder),
            "http://127.0.0.1:8000": f"http://127.0.0.1:{self.port}",
        }.items():
            assert site.count(written) >= 1, written
            site = site.replace(written, here)
        temporary = "".join(
            f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        http = f"access_log {folder}/access; {temporary} {site}"
        (folder / "nginx.conf").write_text(f"daemon off; pid {folder}/pid; events {{}} http {{ {http} }}")
        if IS_ROOT:
            for path in (folder, *folder.iterdir()):
                os.chown(path, FRESH_UID, FRESH_UID)
        with (folder / "log").open("wb") as log:
            words = [*as_user(FRESH_UID), NGINX, "-e", "stderr", "-p", str(folder), "-c", str(folder / "nginx.conf")]
            self.nginx = subprocess.Popen(words, stdout=log, stderr=log)
        deadline = time.monotonic() + 20
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.tls_port), 1).close()
                return
            except OSError:
                assert time.monotonic() < deadline, (folder / "log").read_text()
                time.sleep(0.05)

    def close(self) -> None:
        for container in (*self.containers.values(), self.redis, self.postgres):
            container.kill()
        if self.nginx is not None:
            self.nginx.terminate()
            self.nginx.wait()
        if not IS_ROOT:
            subprocess.run(["chmod", "-R", "u+w", str(self.folder)], check=False)
        shutil.rmtree(self.folder)


def write_certificate(folder: Path) -> None:
    """A certificate of its own for the host, as certificate.pem and key.pem."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    now = datetime.now(UTC)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(x509.random_serial_number())
    made = made.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    made = made.add_extension(x509.SubjectAlternativeName([x509.DNSName(HOST)]), critical=False)
    made = made.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    signed = made.sign(key, hashes.SHA256())
    (folder / "certificate.pem").write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "key.pem").write_bytes(key.private_bytes(*form))


class Browser:
    """Opens https://evals.example.org, which is this machine, and trusts the test's certificate and no other."""

    def __init__(self, team: TeamSetUp, **headers: str):
        context = ssl.create_default_context(cafile=str(team.folder / "nginx" / "certificate.pem"))

        class Connection(http.client.HTTPSConnection):
            def __init__(self, host: str, **options: Any):
                super().__init__(host, context=context, timeout=60)
                self._create_connection = lambda *_: socket.create_connection(("127.0.0.1", team.tls_port), 60)

        class Handler(urllib.request.HTTPSHandler):
            def https_open(self, request: Any) -> Any:
                return self.do_open(Connection, request)  # type: ignore[arg-type]

        self.cookies = CookieJar()
        self._opener = urllib.request.build_opener(Handler(), urllib.request.HTTPCookieProcessor(self.cookies))
        self._opener.addheaders = list(headers.items())

    def get(self, path: str) -> str:
        text: str = self._opener.open(f"https://{HOST}{path}").read().decode()
        return text

    def post(self, path: str, form: dict[str, Any]) -> tuple[str, str]:
        """The address it ended at, and the page there."""
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', self.get(path))
        assert token, path
        data = urlencode(form | {"csrfmiddlewaretoken": token[1]}, doseq=True).encode()
        own = {"Origin": f"https://{HOST}", "Referer": f"https://{HOST}{path}"}
        request = urllib.request.Request(f"https://{HOST}{path}", data, own)
        answer = self._opener.open(request)
        return answer.geturl(), answer.read().decode()
