"""Objects for tests of several folders: launches, calls, seasons, and two organizations with objects of every kind."""

from datetime import timedelta
from itertools import count

from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubAnswer

CANARY = "Zq7canary"
"""In every name and text of the organization whose rows nobody else may see."""

LAUNCH_FORM = {
    "environments": ["pricing"], "difficulties": ["BASIC"], "generator": "published", "seeds": "0-1", "periods": "5",
    "variants": ["main"], "reasoning_wording": "auto", "agents": ["random", "pricing-constant"],
    "name": "Two baselines",
}  # fmt: skip
"""A valid form of a launch."""

_steps = count()  # No two calls of a run may be the same step.


class Telltale(ScriptedPlayer):
    """Plays by rote, with a word in its notes, its text and its name."""

    def __init__(self, word):
        super().__init__()
        self.word = word

    def __call__(self, wire, body, headers):
        answer = super().__call__(wire, body, headers)
        calls = tuple(
            (name, {"notes": f"{self.word} {arguments['notes']}"} if name == "write_notes" else arguments)
            for name, arguments in answer.calls
        )
        return StubAnswer(text=f"{self.word} thinks.", calls=calls, model=f"{self.word}-1")


def launched(organization, agents, *, name="", budget_nano=None, **values):
    """A small experiment of the organization's owner; other values are those of LaunchPlan."""
    from runs.launching.plan import LaunchPlan
    from runs.services import experiment_launch

    small = {"environments": ("pricing",), "difficulties": ("BASIC",), "seeds": (0,), "periods": 1}
    plan, owner = LaunchPlan(agents=tuple(agents), **small | values), organization.memberships.filter(role="owner")[0]
    return experiment_launch(organization=organization, user=owner.user, plan=plan, name=name, budget_nano=budget_nano)


def model_of(organization, name, model, base_url, actor=None, **options):
    """An agent at an endpoint of its own."""
    from accounts.services import endpoint_create
    from runs.services import agent_create

    given = {"provider": "openai-compatible", "base_url": base_url, "key": "sk-test-key-0001", "actor": actor}
    endpoint = endpoint_create(organization=organization, name=f"{name} endpoint", **given)
    return agent_create(organization=organization, name=f"{name} model", endpoint=endpoint, model=model, **options)


def play_all(experiment):
    for run_id in experiment.runs.values_list("id", flat=True):
        play_to_the_end(run_id)


def play_to_the_end(run_id):
    """On a busy machine a run may take more than one slice of time."""
    from runs.engine.advance import advance
    from runs.models import Run, RunState

    for _ in range(10):
        advance(run_id)
        if Run.objects.get(pk=run_id).state not in (RunState.QUEUED, RunState.RUNNING):
            return


HOSTILE = "<script>alert(1)</script> \u202eelasticity\x00 </pre></details> =1+1 " + "w" * 500


def think(run, thinking=HOSTILE, tokens=250, **changes):
    """Give the replies of a played run a thinking, as a provider of a model would have sent it.

    changes: other fields of the replies
    """
    for exchange in run.exchanges.all():
        reply = exchange.reply | {"thinking": thinking} | changes
        reply["usage"] = reply["usage"] | {"reasoning_tokens": tokens}
        reply["sent"] = reply["sent"] | {"wire": "responses", "effort": "high"} | changes.get("sent", {})
        exchange.reply, exchange.reasoning_tokens = reply, tokens
        exchange.save()
    run.conditions = {"seat_0": {"wire": "responses", "forced": True, "effort": "high", "model": run.agent.model}}
    run.reasoning_tokens = tokens * run.exchanges.count()
    run.save()
    return run


def furnish(owner, word, stub, *, name=""):
    """An experiment of a baseline and a model, played to its end; `word` is in everything that has a name."""
    from runs.services import catalog_install

    organization, called = owner.organization, f"{name}{word}"
    catalog_install(organization=organization)
    prices = {"input_price": 1, "output_price": 2}
    agent = model_of(organization, called, f"{word}-1", stub.base_url("openai"), owner.user, **prices)
    agents = (agent, organization.agents.get(slug="random"))
    experiment = launched(organization, agents, periods=2, name=f"{called} experiment")
    play_all(experiment)
    assert set(experiment.runs.values_list("state", flat=True)) == {"finished"}
    return experiment


def exchange_of(run, reserved=100):
    """A call that is about to be sent; nothing is stored yet."""
    from runs.models import Exchange

    place = {"period_index": 0, "seat": "seat_0", "attempt": 0, "step": next(_steps)}
    return Exchange(run_id=run.pk, fence=run.fence, reserved_nano=reserved, **place)


def settled(exchange, cost):
    """The call with its reply."""
    from runs.models import ExchangeState

    exchange.state, exchange.cost_nano, exchange.reply = ExchangeState.REPLIED, cost, {"text": "."}
    return exchange


def book(experiment, cost):
    """A call of this cost, in a run of its own."""
    from runs.engine.writing.entries import Settlement
    from runs.engine.writing.group_commit import GroupCommit
    from runs.models import Run

    lab = experiment.organization
    shared = {"organization": lab, "instance": lab.instances.first(), "agent": lab.agents.first()}
    run = Run.objects.create(experiment=experiment, config={}, **shared)
    commits, exchange = GroupCommit(), exchange_of(run, 0)
    commits.intend(run.pk, run.fence, exchange)
    commits.settle(Settlement(run.pk, run.fence, settled(exchange, cost)))


def open_season(name="Winter season", **values):
    """A season that is open for a month; other values are those of season_create."""
    from django.utils import timezone

    from runs.episodes.services import season_create

    now = timezone.now()
    usual = {"environments": ["pricing"], "difficulties": ["BASIC"], "instances": 2, "entries": 3}
    times = {"opens_at": now - timedelta(minutes=1), "closes_at": now + timedelta(days=30)}
    return season_create(name=name, **usual | times | values)
