"""The web process of a real site on a folder of its own, and an owner's token. Nothing but episodes is played there."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import requests

from tests.data_folders import ROOT, copy_of, new_site, run_on
from tests.running_site import free_port, listens
from tests.waiting import patience, wait_until

OWNER_TOKEN = """
from datetime import timedelta
from django.utils import timezone
from api.services import personal_token_create
from runs import bootstrap
organization, _ = bootstrap.ensure_organization(allow_environment_keys=False)
expires, scopes = timezone.now() + timedelta(days=1), ["read", "play"]
actor = organization.memberships.get()
print(personal_token_create(actor=actor, name="test", scopes=scopes, expires_at=expires)[1])
"""


def site_with_an_owner(folder):
    copy_of(new_site, folder)
    (folder / "token").write_text(run_on(folder, OWNER_TOKEN))


class ServedSite:
    """token: an owner's, to open episodes and read; variables: of the environment, such as an empty DATABASE_URL"""

    def __init__(self, folder, **variables):
        copy_of(site_with_an_owner, folder)
        self.folder, self.port, self.process = folder, free_port(), None
        self.token = (folder / "token").read_text()
        self.address = f"http://127.0.0.1:{self.port}"
        self.variables = os.environ | {"ECONEVALS_DATA_DIR": str(folder), "PORT": str(self.port)} | variables
        if "DATABASE_URL" in variables:
            migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
            subprocess.run(migrate, cwd=ROOT, env=self.variables, check=True)
            self.token = run_on(folder, OWNER_TOKEN, **variables)

    def start(self):
        command = [sys.executable, "manage.py", "serve"]
        with (self.folder / "web.log").open("ab") as log:
            self.process = subprocess.Popen(command, cwd=ROOT, env=self.variables, stdout=log, stderr=log)
        log = self.folder / "web.log"
        wait_until(lambda: listens(self.port), lambda: log.read_text()[-2000:], every=0.02)

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(timeout=patience())

    def open_episode(self, **wanted):
        wanted = {"harness": {"kind": "mcp", "name": "tester"}} | wanted
        body = {"environment": "pricing", "difficulty": "BASIC", "seed": 0} | wanted
        return self.ask("POST", "/episodes", json=body)

    def ask(self, method, path, token="", **options):
        headers = {"Authorization": f"Bearer {token or self.token}"}
        answer = requests.request(
            method, f"{self.address}/api/v1{path}", headers=headers, timeout=patience(), **options
        )
        assert answer.ok, answer.text
        return answer.json()

    def journal(self, episode):
        return self.ask("GET", f"/episodes/{episode}/journal?limit=200")["items"]


@contextmanager
def served(folder, **variables):
    site = ServedSite(folder, **variables)
    site.start()
    try:
        yield site
    finally:
        site.stop()
