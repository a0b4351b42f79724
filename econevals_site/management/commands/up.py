import socket
import sys
import time
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

from accounts.models import Organization
from infrastructure import broker
from infrastructure.processes.supervisor import Supervisor
from runs.bootstrap import OWNER, ensure_demo, ensure_organization, migrate_if_needed
from runs.management.arguments import add_json_argument, fail, print_json

ANSWER_SECONDS = 60.0


class Command(BaseCommand):
    help = "Set up the site on this machine and run it: broker, worker, web. bin/up calls this."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_json_argument(parser, "print address, user and password as JSON when the site answers")

    def handle(self, *, json: bool, **options: Any) -> None:
        if answers(settings.PORT):
            fail(
                f"Something already answers on port {settings.PORT}, perhaps EconEvals itself. Choose another with PORT=8001."
            )
        migrate_if_needed()
        organization, password = ensure_organization(allow_environment_keys=settings.EMBEDDED)
        keeper = broker.Keeper()
        try:
            sys.exit(self.run(organization, password, json))
        finally:
            keeper.stop()

    def run(self, organization: Organization, password: str, json: bool) -> int:
        demo = ensure_demo(organization)
        supervisor = Supervisor()
        # The worker plays the demo while the static files are prepared.
        supervisor.start("worker", "work")
        call_command("prepare")
        supervisor.start("web", "serve")
        deadline = time.monotonic() + ANSWER_SECONDS
        while not answers(settings.PORT) and time.monotonic() < deadline:
            time.sleep(0.1)
        if answers(settings.PORT):
            address = f"http://127.0.0.1:{settings.PORT}"
            if json:
                print_json({"address": address, "user": OWNER, "password": password or None, "demo": demo})
            else:
                self.stdout.write(greeting(address, password, demo))
            sys.stdout.flush()
        return supervisor.watch()


def greeting(address: str, password: str, demo: bool) -> str:
    lines = ["", f"EconEvals runs at {address}"]
    if password:
        lines += [f"  user      {OWNER}", f"  password  {password}", "The password is shown this once; keep it."]
    else:
        lines.append(f"Sign in as {OWNER}. Forgotten the password? Stop and run: manage.py changepassword {OWNER}")
    if demo:
        lines.append("A demo is played: the benchmarks take less than a minute, the litmus tests another one.")
    return "\n".join([*lines, "Press Ctrl-C to stop.", ""])


def answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False
