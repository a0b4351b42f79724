import pytest

from agents.providers.makers import MAKERS
from infrastructure import limiter
from runs.engine import lease
from runs.engine.advance import advance
from runs.launching.plan import LaunchPlan
from runs.models import Run
from runs.services import runs_control
from tests.emulators.families import FAMILIES
from tests.emulators.server import Emulator
from tests.runs.batched import GAME, OPENAI, Chooser, Survey, agent_at_own_address
from tests.runs.limiter_server import Server
from tests.stub_provider import StubAnswer, StubProvider


@pytest.fixture(autouse=True)
def _nothing_held_outlives_its_test(monkeypatch):
    """Tests take leases without releasing them, and their endpoints reuse the ids of earlier endpoints."""
    limiter.forget()
    monkeypatch.setattr(lease, "_outage_ended", -1e9)
    yield
    lease.held.clear()


@pytest.fixture(scope="session")
def shared_server():
    server = Server()
    yield server
    server.close()


@pytest.fixture
def server(shared_server):
    """An empty Valkey server."""
    shared_server.client.flushdb()
    shared_server.client.config_resetstat()
    return shared_server


@pytest.fixture(name="limiter")
def _limiter(server):
    return limiter.Limiter(server.url)


@pytest.fixture
def run(launch):
    """A queued run of the baseline `random`."""
    return launch("random").runs.get()


@pytest.fixture
def plan(agent):
    """A plan for pricing; agents by slug."""
    usual = {"environments": ("pricing",), "difficulties": ("BASIC",), "seeds": (0,)}
    return lambda *slugs, **options: LaunchPlan(agents=tuple(map(agent, slugs)), **(usual | options))


@pytest.fixture
def control(run, alice):
    """Apply an action to the run; return how many runs it changed."""

    def control(action):
        changed = runs_control(runs=Run.objects.filter(pk=run.pk), action=action, user=alice)
        run.refresh_from_db()
        return changed

    return control


@pytest.fixture
def model_run(launch, model_agent):
    """Launch a run of a model, play some slices of it, and return the run and the stub that answered.

    script: the answers of the stub, or its only answer; priced: options of the agent; others as of `launch`
    """

    def play(script, wire="openai", slices=1, priced=None, **options):
        with StubProvider((lambda *_: script) if isinstance(script, StubAnswer) else script) as stub:
            agent = model_agent(stub, wire, **(priced or {}))
            run = launch(agent.slug, **options).runs.get()
            for _ in range(slices):
                Run.objects.update(wake_at=None)
                limiter.reset(agent.endpoint_id)
                advance(run.pk)
        return Run.objects.select_related("instance", "agent").get(pk=run.pk), stub

    return play


@pytest.fixture
def survey(organization, launch, monkeypatch, settings):
    """Launch a survey by batch at an emulated maker; options as of its agent."""
    emulators = []
    settings.BATCH_POLL_SECONDS = 0

    def start(model=OPENAI, player=None, budget_nano=None, **options):
        emulators.append(emulator := Emulator(FAMILIES[model], player or Chooser()))
        monkeypatch.setattr(type(MAKERS[emulator.model.maker]), "own_url", emulator.base_url)
        agent = agent_at_own_address(organization, emulator, **options)
        run = launch(agent.slug, batch=True, run_budget_nano=budget_nano, **GAME).runs.get()
        return Survey(run, emulator)

    yield start
    for emulator in emulators:
        emulator.close()
