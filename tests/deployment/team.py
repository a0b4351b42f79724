"""The whole team set-up: services of docker-compose.yml, nginx in front, and a person's browser."""

import os
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from requests.adapters import HTTPAdapter

from tests import running_site
from tests.data_folders import ROOT
from tests.deployment.containers import FRESH_UID, IS_ROOT, Container, Image, as_user
from tests.deployment.files import compose
from tests.faults.stages import postgres_programs
from tests.running_site import free_port, listens
from tests.waiting import wait_until

HOST = "evals.example.org"
NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin") or ""


class TeamSetUp:
    """Two workers; every other service once. Values of .env are those that docs/settings.md asks for, and `more`."""

    def __init__(self, **more):
        self.folder = Path(tempfile.mkdtemp(prefix="team-"))
        self.folder.chmod(0o755)
        self.port, self.tls_port = free_port(), free_port()
        secrets = ("SECRET_KEY", "POSTGRES_PASSWORD", "REDIS_PASSWORD")
        self.secrets = {name: os.urandom(32).hex() for name in secrets}
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
        self.nginx = None
        self.database_url = self.containers["web"].environment["DATABASE_URL"]

    def _container(self, name, service, image, **put):
        return Container(name, self.services[service], self.folder / name, image, self.put | put)

    def _redis(self, port):
        configuration = f"{self.folder}/redis/tmp/redis.conf --port {port} --bind 127.0.0.1"
        there = {"redis-server /tmp/redis.conf": f"redis-server {configuration}", "redis-cli ": f"redis-cli -p {port} "}
        return self._container("redis", "redis", None, **there)

    def _postgres(self, port):
        """Made as the image makes it on its first start: a superuser of the name, his password, a database."""
        programs = postgres_programs()
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

    def start_services(self):
        self.postgres.start()
        self.redis.start()
        self.postgres.wait()
        told = self.postgres.service["environment"]
        self.postgres.service["environment"] = told | {"PGPASSWORD": told["POSTGRES_PASSWORD"]}
        self.postgres.run("createdb", "-h", "127.0.0.1", "-U", told["POSTGRES_USER"], told["POSTGRES_DB"])
        self.redis.wait()

    def start(self, *names):
        """`docker compose up -d`, of which the web service comes first and the others once it is healthy."""
        chosen = [self.containers[name] for name in names or self.containers]
        for container in chosen:
            container.start()
            if container.name == "web":
                container.wait()
        with ThreadPoolExecutor() as pool:
            list(pool.map(Container.wait, chosen))

    def stop(self):
        """docker compose stop web worker scheduler"""
        with ThreadPoolExecutor() as pool:
            list(pool.map(Container.stop, self.containers.values()))

    def start_nginx(self):
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
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        temporary = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
        http = f"access_log {folder}/access; {temporary} {site}"
        (folder / "nginx.conf").write_text(f"daemon off; pid {folder}/pid; events {{}} http {{ {http} }}")
        if IS_ROOT:
            for path in (folder, *folder.iterdir()):
                os.chown(path, FRESH_UID, FRESH_UID)
        with (folder / "log").open("wb") as log:
            words = [*as_user(FRESH_UID), NGINX, "-e", "stderr", "-p", str(folder), "-c", str(folder / "nginx.conf")]
            self.nginx = subprocess.Popen(words, stdout=log, stderr=log)
        wait_until(lambda: listens(self.tls_port), (folder / "log").read_text)

    def close(self):
        for container in (*self.containers.values(), self.redis, self.postgres):
            container.kill()
        if self.nginx is not None:
            self.nginx.terminate()
            self.nginx.wait()
        if not IS_ROOT:
            subprocess.run(["chmod", "-R", "u+w", str(self.folder)], check=False)
        shutil.rmtree(self.folder)


def write_certificate(folder):
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


class ThisMachine(HTTPAdapter):
    """Connects to a port of this machine, whose certificate is asked for the name of the host."""

    def __init__(self, port):
        super().__init__()
        self.here = {"host": "127.0.0.1", "port": port}

    def get_connection_with_tls_context(self, request, verify, proxies=None, cert=None):
        host, options = self.build_connection_pool_key_attributes(request, verify, cert)
        options |= {"server_hostname": HOST, "assert_hostname": HOST}
        return self.poolmanager.connection_from_host(**host | self.here, pool_kwargs=options)


class Browser(running_site.Browser):
    """Opens https://evals.example.org, which is this machine, and trusts the test's certificate and no other."""

    def __init__(self, team, **headers):
        super().__init__(f"https://{HOST}")
        self.trust_env, self.verify = False, str(team.folder / "nginx" / "certificate.pem")
        self.headers.update(headers | {"Host": HOST, "Origin": self.site, "Referer": f"{self.site}/"})
        self.hooks["response"] = lambda answer, **_: answer.raise_for_status()
        self.mount(self.site, ThisMachine(team.tls_port))
