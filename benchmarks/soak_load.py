"""The load of soak.py: outside agents, a person and a program that exports. It also records the memory of processes."""

from __future__ import annotations

import random
import threading
import time
from collections import defaultdict
from collections.abc import Callable

from benchmarks.episodes import FORMS, Agent, calls
from benchmarks.processes import kilobytes
from tests.faults.live import LiveSite
from tests.running_site import Browser
from tests.runs.episodes.served import OWNER_TOKEN, ServedSite

PERIODS, THINK_SECONDS, LOOK_SECONDS = 8, 1.0, 5.0
PASSWORD = "correct horse battery"
OWNER = f"""
{OWNER_TOKEN.replace('"play"]', '"play", "launch"]').replace('"test"', '"soak"')}
actor.user.set_password("{PASSWORD}")
actor.user.save()
"""
"""Code for the shell of the site: it prints a token of the owner and sets a password."""

PAGES = (
    "/",
    "/runs/",
    "/experiments/",
    "/leaderboard/",
    "/litmus/",
    "/behaviour/",
    "/spend/",
    "/ledger/",
    "/findings/",
)
FILES = ("/api/v1/tables?form=csv", "/api/v1/figures?figure=trends", "/exports/runs.csv", "/ledger.csv")
NEWEST = "SELECT id, experiment_id FROM runs_run ORDER BY id DESC LIMIT 20"

Act = Callable[[random.Random], None]


class Load:
    """Threads that use the site until `stopped` is set. Failed acts are recorded in `failures`."""

    def __init__(self, site: LiveSite, web: ServedSite, agents: int, seed: int):
        self.site, self.web = site, web
        self.stopped = threading.Event()
        self.done: dict[str, int] = defaultdict(int)
        self.failures: list[str] = []
        self.memory: dict[str, list[tuple[float, int]]] = defaultdict(list)
        self.watched = {"web": web.process.pid, "worker": site.workers[0]}
        self._newest = [{"id": 0, "experiment_id": 0}]
        acts: list[tuple[str, Act]] = [("person", self.read_and_control), ("exports", self.export)]
        acts += [(f"agent by {form}", self.player(form)) for form in [*FORMS][:agents] * agents][:agents]
        self.browser = Browser(web.address)
        assert self.browser.log_in("owner", PASSWORD)
        self.threads = [threading.Thread(target=self._repeat, args=(*act, seed + n)) for n, act in enumerate(acts)]
        self.threads.append(threading.Thread(target=self._look))
        for thread in self.threads:
            thread.start()

    def close(self) -> None:
        """Stop the threads. Begun episodes are played to their end."""
        self.stopped.set()
        for thread in self.threads:
            thread.join()

    def player(self, form: str) -> Act:
        def play(rng: random.Random) -> None:
            agent = Agent(self.web, self.web.open_episode(periods=PERIODS)["token"])
            for request in calls(FORMS[form], range(PERIODS), str({"Product_1": round(rng.uniform(5, 30), 2)})):
                time.sleep(rng.expovariate(1 / THINK_SECONDS))
                agent.ask(request)
            agent.connection.close()

        return play

    def read_and_control(self, rng: random.Random) -> None:
        run = rng.choice(self._newest)
        self._read(rng.choice((*PAGES, f"/runs/{run['id']}/", f"/experiments/{run['experiment_id']}/")))
        if rng.random() < 0.2 and run["id"]:
            for action in ("pause", "resume"):
                self.web.ask("POST", f"/runs/{run['id']}/{action}")
                time.sleep(rng.uniform(0.0, 2.0))
        time.sleep(rng.expovariate(2 / THINK_SECONDS))

    def export(self, rng: random.Random) -> None:
        run = rng.choice(self._newest)
        of_run = (f"/api/v1/experiments/{run['experiment_id']}/export", f"/exports/runs/{run['id']}.csv")
        self._read(rng.choice((*FILES, *of_run)))
        time.sleep(rng.expovariate(1 / THINK_SECONDS))

    def _read(self, path: str) -> None:
        """Read a page or a file to its end. AssertionError if the site met a fault."""
        headers = {"Authorization": f"Bearer {self.web.token}"} if path.startswith("/api/") else {}
        with self.browser.open(path, headers=headers, stream=True) as answer:
            assert answer.status_code < 500, f"{path} answered {answer.status_code}"
            for _ in answer.iter_content(65536):
                pass

    def _repeat(self, name: str, act: Act, seed: int) -> None:
        rng = random.Random(seed)
        while not self.stopped.is_set():
            try:
                act(rng)
                self.done[name] += 1
            except Exception as error:  # every kind, because each is an error that a user met
                self.failures.append(f"{name}: {type(error).__name__}: {str(error)[:200]}")
                time.sleep(1.0)

    def _look(self) -> None:
        """Record the memory of the watched processes, and read the newest runs, until `stopped` is set."""
        began = time.monotonic()
        books = type(self.site.books)(self.site.stage.database)
        while not self.stopped.wait(LOOK_SECONDS):
            self._newest = books.rows(NEWEST) or self._newest
            for name, pid in self.watched.items():
                if resident := kilobytes(pid, "status", "VmRSS"):
                    self.memory[name].append((time.monotonic() - began, resident))
        books.close()
