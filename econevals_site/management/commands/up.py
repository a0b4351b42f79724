import socket
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import closing, contextmanager
from multiprocessing.context import ForkProcess
from typing import Any

from django.conf import settings
from django.urls import get_resolver

# The worker and the web process are forked from this process, so that they share its imported modules.
import econevals_site.management.commands.serve
import econevals_site.management.commands.work  # noqa: F401
from infrastructure import broker
from infrastructure.commands import QuickCommand
from infrastructure.processes.forked import Supervisor, in_child, start_child
from infrastructure.processes.memory import settle_memory
from runs.bootstrap import OWNER, ensure_demo, ensure_organization, migrate_if_needed
from runs.management.launches import add_json_argument, fail, print_json

ANSWER_SECONDS = 60.0


class Command(QuickCommand):
    help = "Set up the site on this machine and run its broker, worker and web process. bin/up calls this."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_json_argument(parser, "print address, user and password as JSON as soon as the site answers requests")

    def handle(self, *, json: bool, **options: Any) -> None:
        if answers(settings.PORT):
            fail(
                f"Something already answers on port {settings.PORT}, perhaps EconEvals itself. Choose another with PORT=8001."
            )
        self.quiet = json
        # The child uses a second core, while this process imports the views, sets up the database and plays the demo.
        files = start_child("prepare")
        with self.step("Importing the program"):
            assert get_resolver().url_patterns
        settle_memory()
        with closing(broker.Keeper()):
            sys.exit(self.run(json, files))

    def run(self, json: bool, files: ForkProcess) -> int:
        with self.step("Setting up the database"):
            password, demo = in_child(set_up)
        with Supervisor() as supervisor:
            supervisor.start("worker", "work")
            with self.step("Preparing fonts, styles and scripts"):
                files.join()
            if files.exitcode:
                sys.exit("The static files could not be prepared; the reason is printed above.")
            supervisor.start("web", "serve")
            deadline = time.monotonic() + ANSWER_SECONDS
            while not answers(settings.PORT) and not supervisor.stopping and time.monotonic() < deadline:
                time.sleep(0.1)
            if answers(settings.PORT):
                self.say(f"http://127.0.0.1:{settings.PORT}", password, demo, json)
            return supervisor.watch()

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Print a line like those of bin/environment, with the seconds that the step took."""
        started = time.monotonic()
        if not self.quiet:
            print(f"{name} ... ", end="", flush=True)
        yield
        if not self.quiet:
            print(f"{time.monotonic() - started:.1f} s", flush=True)

    def say(self, address: str, password: str, demo: bool, json: bool) -> None:
        if json:
            print_json({"address": address, "user": OWNER, "password": password or None, "demo": demo})
        else:
            self.stdout.write(greeting(address, password, demo))
        sys.stdout.flush()


def set_up() -> tuple[str, bool]:
    """Set up the database. Returns the owner's password if the organization is new, and whether the demo was launched."""
    migrate_if_needed()
    organization, password = ensure_organization(allow_environment_keys=settings.EMBEDDED)
    return password, ensure_demo(organization)


def greeting(address: str, password: str, demo: bool) -> str:
    log_in = (
        [f"  user      {OWNER}", f"  password  {password}", "The password is shown this once; keep it."]
        if password
        else [f"Sign in as {OWNER}. Forgotten the password? Run: bin/econevals reset_link {OWNER}"]
    )
    played = ["A demo is played: the benchmarks take less than a minute, the litmus tests another one."] if demo else []
    return "\n".join(["", f"EconEvals runs at {address}", *log_in, *played, "Press Ctrl-C to stop.", ""])


def answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False
