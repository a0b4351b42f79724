"""Two organizations that both have everything, one of them under a name that must never leave it."""

from collections.abc import Mapping
from typing import Any

from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubAnswer

CANARY = "Zq7canary"
"""In every name and text of the organization whose rows nobody else may see."""


class Telltale(ScriptedPlayer):
    """Plays by rote, and says a word in its notes, its text and the name it goes by."""

    def __init__(self, word: str):
        super().__init__()
        self.word = word

    def __call__(self, wire: str, body: dict[str, Any], headers: Mapping[str, str]) -> StubAnswer:
        answer = super().__call__(wire, body, headers)
        calls = tuple(
            (name, {"notes": f"{self.word} {arguments['notes']}"} if name == "write_notes" else arguments)
            for name, arguments in answer.calls
        )
        return StubAnswer(text=f"{self.word} thinks.", calls=calls, model=f"{self.word}-1")


def play_to_the_end(run_id: int) -> None:
    """On a busy machine a run may take more than one slice of time."""
    from runs.engine.advance import advance
    from runs.models import Run, RunState

    for _ in range(10):
        advance(run_id)
        if Run.objects.get(pk=run_id).state not in (RunState.QUEUED, RunState.RUNNING):
            return


def furnish(owner: Any, word: str, stub: Any, *, name: str = "") -> Any:
    """An experiment of a baseline and a model, played to its end; `word` is in everything that has a name."""
    from accounts.services import endpoint_create
    from runs.launching.plan import LaunchPlan
    from runs.services import agent_create, catalog_install, experiment_launch

    organization = owner.organization
    catalog_install(organization=organization)
    endpoint = endpoint_create(
        organization=organization,
        name=f"{name}{word} endpoint",
        provider="openai-compatible",
        base_url=stub.base_url("openai"),
        key="sk-test-key-0001",
        actor=owner.user,
    )
    agent = agent_create(
        organization=organization,
        name=f"{name}{word} model",
        endpoint=endpoint,
        model=f"{word}-1",
        input_price=1,
        output_price=2,
    )
    agents = (agent, organization.agents.get(slug="random"))
    plan = LaunchPlan(environments=("pricing",), difficulties=("BASIC",), seeds=(0,), periods=2, agents=agents)
    experiment = experiment_launch(
        organization=organization, user=owner.user, plan=plan, name=f"{name}{word} experiment"
    )
    for run_id in experiment.runs.values_list("id", flat=True):
        play_to_the_end(run_id)
    assert set(experiment.runs.values_list("state", flat=True)) == {"finished"}
    return experiment
