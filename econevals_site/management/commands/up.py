from __future__ import annotations

import socket
import sys
import time
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

from infrastructure import broker
from infrastructure.processes.supervisor import Supervisor
from runs.bootstrap import OWNER, ensure_demo, ensure_organization, migrate_if_needed
from runs.management.arguments import fail

ANSWER_SECONDS = 60.0


class Command(BaseCommand):
    help = "Set up the site on this machine and run it: broker, worker, web. bin/up calls this."
    requires_system_checks: list[str] = []

    def handle(self, **options: Any) -> None:
        address = f"http://127.0.0.1:{settings.PORT}"
        if answers(settings.PORT):
            fail(
                f"Something answers on port {settings.PORT} already, perhaps EconEvals itself. Choose another with PORT=8001."
            )
        migrate_if_needed()
        organization, password = ensure_organization(allow_environment_keys=settings.EMBEDDED)
        process = broker.start_if_down()
        try:
            code = self._run(address, organization, password)
        finally:
            if process is not None:
                process.terminate()
                process.wait()
        sys.exit(code)

    def _run(self, address: str, organization: Any, password: str) -> int:
        python = [sys.executable]
        worker = Supervisor({"worker": [*python, "manage.py", "work"]})
        demo = ensure_demo(organization)
        # The worker plays the demo while the pages' files are prepared.
        worker.start()
        call_command("prepare")
        supervisor = Supervisor({"web": [*python, "manage.py", "serve"]})
        supervisor.start()
        supervisor.children = [*worker.children, *supervisor.children]
        # Whoever asked to stop while the pages' files were prepared asked the first of the two.
        supervisor.stopping |= worker.stopping
        if wait_until_it_answers(settings.PORT):
            self.stdout.write(greeting(address, password, demo is not None))
            self.stdout.flush()
        return supervisor.watch()


def greeting(address: str, password: str, demo: bool) -> str:
    lines = ["", f"EconEvals runs at {address}"]
    if password:
        lines += [f"  user      {OWNER}", f"  password  {password}", "The password is shown this once; keep it."]
    else:
        lines.append(f"Sign in as {OWNER}. Forgotten the password? Stop and run: manage.py changepassword {OWNER}")
    if demo:
        lines.append("A demo experiment is being played; it takes about a minute.")
    return "\n".join([*lines, "Press Ctrl-C to stop.", ""])


def answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


def wait_until_it_answers(port: int) -> bool:
    deadline = time.monotonic() + ANSWER_SECONDS
    while not answers(port):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True
