"""A site in use continues after an upgrade from the version before Responses: runs, a seat, links and a backup."""

import json
import shutil
from contextlib import ExitStack, closing

import pytest
import requests

from tests.data_folders import ROOT
from tests.emulators.families import FAMILIES
from tests.emulators.player import RotePlayer
from tests.emulators.server import Emulator
from tests.faults.checker import database_is_sound
from tests.faults.history import before, code_of
from tests.faults.ledger import nothing_stays_reserved
from tests.faults.live import LiveSite
from tests.faults.rig import finish
from tests.faults.stages import Stage
from tests.faults.zygote import kill_group
from tests.running_site import Browser, free_port, listens
from tests.waiting import patience, wait_until

pytestmark = pytest.mark.long

OPENAI, CLAUDE, DEEPSEEK = "gpt-4.1-2025-04-14", "claude-opus-4-6", "deepseek-v4-pro"
PROVIDERS = {OPENAI: "openai", CLAUDE: "anthropic", DEEPSEEK: "openai-compatible"}
PAUSED, QUEUED = "In the middle", "Not begun"
PERIODS = 4
PAUSED_IN, CALLS_BEFORE = 2, 2
"""The period in which runs are paused, and how many of its calls were answered by then."""

FURNISH = """
import json
from datetime import timedelta
from pathlib import Path
from django.conf import settings
from django.utils import timezone
from accounts.services import endpoint_create
from api.services import personal_token_create
from play.services import participants_create, study_create
from runs.bootstrap import ensure_organization
from runs.engine import journal
from runs.launching.plan import LaunchPlan
from runs.models import Run
from runs.services import agent_create, experiment_launch, runs_control
from runs.watching import play_here
from sharing.services import share_link_create

about = json.loads({about!r})
organization, _ = ensure_organization(allow_environment_keys=False)
owner = organization.memberships.get()
agents = []
for model, provider in about["providers"].items():
    reach = {{"provider": provider, "base_url": about["urls"][model], "key": "sk-test-key-0001"}}
    endpoint = endpoint_create(organization=organization, name=model, **reach)
    prices = {{"input_price": 2, "cached_price": 1, "output_price": 10}}
    agents.append(agent_create(organization=organization, name=model, endpoint=endpoint, model=model, **prices))

def launch(name, seed):
    plan = LaunchPlan(("pricing",), ("BASIC",), (seed,), tuple(agents), periods=about["periods"])
    return experiment_launch(organization=organization, user=owner.user, plan=plan, name=name)

call = journal.call

def call_and_pause(run_id, fence, agent, llm, exchange, request):
    reply = call(run_id, fence, agent, llm, exchange, request)
    if [exchange.period_index, exchange.step + 1] == about["pause"]:
        runs_control(runs=Run.objects.filter(pk=run_id), action="pause", user=owner.user)
    return reply

journal.call = call_and_pause
begun = launch(about["paused"], 0)
play_here(begun)
launch(about["queued"], 1)
expires = timezone.now() + timedelta(days=1)
study = study_create(
    actor=owner, name="Pilot", title="A study of decisions", environment="pricing", difficulty="BASIC", seeds="0",
    periods=about["periods"], practice=0, consent="You make decisions.",
)
made = {{
    "token": personal_token_create(actor=owner, name="t", scopes=["read", "play"], expires_at=expires)[1],
    "share": share_link_create(actor=owner, target=begun, lasts="30")[1],
    "participant": participants_create(actor=owner, study=study, count=1, labels=[])[0][1],
}}
Path(settings.DATA_DIR, "made.json").write_text(json.dumps(made))
"""
"""Runs in the code before the upgrade, with its names."""

PLAYED_BEFORE = """
SELECT runs_run.state, periods_played, COUNT(*) AS calls FROM runs_run JOIN runs_exchange ON run_id = runs_run.id
WHERE period_index = periods_played GROUP BY runs_run.id, runs_run.state, periods_played
"""
RUNS = """
SELECT runs_experiment.name AS experiment, model, runs_run.state, reason, conditions FROM runs_run
JOIN runs_experiment ON runs_experiment.id = experiment_id JOIN runs_agent ON runs_agent.id = runs_run.agent_id
WHERE model <> ''
"""
PLACES = """
SELECT run_id, period_index, attempt, step FROM runs_exchange JOIN runs_agent ON runs_agent.id = agent_id WHERE model <> ''
"""
ASKS_FOR_RESPONSES = f"""UPDATE runs_agent SET learned = '{{"wire": "responses"}}' WHERE model = '{OPENAI}'"""
"""What another run of the agent may have learned since the upgrade."""


class SiteInUse(LiveSite):
    """A site as members, agents and visitors reach it. made: what they hold; person: the browser of a participant"""

    def furnish(self, emulator):
        urls = {
            model: emulator.url if name == "anthropic" else f"{emulator.url}/v1" for model, name in PROVIDERS.items()
        }
        about = {"providers": PROVIDERS, "urls": urls, "paused": PAUSED, "queued": QUEUED}
        about |= {"periods": PERIODS, "pause": [PAUSED_IN, CALLS_BEFORE]}
        self.zygote.call("python", text=FURNISH.format(about=json.dumps(about)))
        self.made = json.loads((self.stage.folder / "made.json").read_text())
        self.participant = f"/p/{self.made['participant']}/"

    def serve(self, stack):
        """Start the web process of the code that runs now; it ends with the stack."""
        self.zygote.command("prepare")
        port = free_port()
        stack.callback(kill_group, self.zygote.fork("web", port=port))
        wait_until(lambda: listens(port), self.zygote.tail)
        self.address = f"http://127.0.0.1:{port}"

    def ask(self, method, path, token, **body):
        address, headers = f"{self.address}/api/v1{path}", {"Authorization": f"Bearer {token}"}
        answer = requests.request(method, address, headers=headers, json=body or None, timeout=patience())
        assert answer.ok, answer.text
        return answer.json()

    def act(self, period):
        return self.ask("PUT", f"/episode/periods/{period}/action", self.made["seat"], action={"Product_1": 3.0})

    def begin_games(self):
        """An outside agent and a participant play a period each, and the agent begins another."""
        game = {"environment": "pricing", "difficulty": "BASIC", "seed": 0, "periods": PERIODS}
        game["harness"] = {"kind": "rest", "name": "tester"}
        self.made["seat"] = self.ask("POST", "/episodes", self.made["token"], **game)["token"]
        self.act(0)
        self.ask("POST", "/episode/periods/1/calls", self.made["seat"], tool="get_product_ids", arguments={})
        self.person = Browser(self.address)
        for step in ("consent/", "begin/"):
            assert self.person.fill(self.participant + step, self.participant).ok
        self.play(0)

    def play(self, period):
        answer = self.person.fill(f"{self.participant}periods/{period}/", self.participant, a0="3", notes="")
        assert answer.ok, answer.text
        return answer.text

    def finish(self):
        """Play all runs to their end: what became of each, by experiment and model."""
        self.books.rows(ASKS_FOR_RESPONSES)
        self.start_worker()
        finish(self, None)
        return {
            (row["experiment"], row["model"]): (
                row["state"],
                row["reason"],
                json.loads(row["conditions"])["seat_0"]["wire"],
            )
            for row in self.books.rows(RUNS)
        }

    def places(self):
        """The place in its chat of every call that was sent."""
        return [tuple(row.values()) for row in self.books.rows(PLACES)]


ALL_FINISHED = {
    (PAUSED, OPENAI): ("finished", "", "chat"),
    (QUEUED, OPENAI): ("finished", "", "responses"),
    (PAUSED, CLAUDE): ("finished", "", "messages"),
    (QUEUED, CLAUDE): ("finished", "", "messages"),
    (PAUSED, DEEPSEEK): ("finished", "", "chat"),
    (QUEUED, DEEPSEEK): ("finished", "", "chat"),
}
"""A run ends in the wire format that it began with; one that had not begun has today's."""


@pytest.fixture(scope="module")
def old_code(tmp_path_factory):
    return code_of(before("A", "agents/providers/responses.py"), tmp_path_factory.mktemp("old") / "code")


@pytest.fixture(scope="module")
def emulator():
    with Emulator([FAMILIES[model] for model in PROVIDERS], RotePlayer(one_by_one=True)) as emulator:
        yield emulator


@pytest.fixture(scope="module")
def site(tmp_path_factory, old_code, emulator):
    """Upgraded, with nothing played since. Its backup is of the earlier version."""
    folder = tmp_path_factory.mktemp("upgraded")
    with ExitStack() as stack:
        site = stack.enter_context(closing(SiteInUse(Stage.on_sqlite(folder / "site"), root=old_code)))
        site.furnish(emulator)
        with ExitStack() as before_the_upgrade:
            site.serve(before_the_upgrade)
            site.begin_games()
        site.backup = str(folder / "old.zip")
        site.zygote.command("backup", site.backup)
        begun = {"state": "paused", "periods_played": PAUSED_IN, "calls": CALLS_BEFORE}
        assert site.books.rows(PLAYED_BEFORE) == [begun] * len(PROVIDERS)
        site.zygote.close()
        site.run_code_of(ROOT)
        site.zygote.call("migrate")
        site.serve(stack)
        yield site


def test_paused_and_queued_runs_finish_and_no_call_is_paid_twice(site, emulator):
    assert site.finish() == ALL_FINISHED
    places = site.places()
    assert len(places) == len(set(places)) == len(emulator.bill.charges)
    assert nothing_stays_reserved(site.books) == database_is_sound(site.books) == []


def test_an_outside_agent_continues_with_its_token(site):
    receipts = [site.act(period) for period in range(1, PERIODS)]
    assert [receipt["done"] for receipt in receipts] == [False] * (PERIODS - 2) + [True]


def test_links_keep_working_and_a_participant_continues(site):
    shared = requests.get(f"{site.address}/s/{site.made['share']}/", timeout=patience())
    assert shared.ok and PAUSED in shared.text
    site.person.site = site.address
    for period in range(1, PERIODS):
        shown = site.play(period)
    assert "Thank you" in shown


def test_a_fresh_site_restores_the_backup_and_finishes_its_runs(site, emulator, tmp_path):
    stage = Stage.on_sqlite(tmp_path / "fresh")
    shutil.copy(site.stage.folder / "secret_key", stage.folder)
    billed = len(emulator.bill.charges)
    with closing(SiteInUse(stage)) as fresh:
        fresh.zygote.command("restore", site.backup, "--yes")
        restored = len(fresh.places())
        assert fresh.finish() == ALL_FINISHED
        places = fresh.places()
    assert len(places) == len(set(places)) == restored + len(emulator.bill.charges) - billed
