"""An organization in which every name and every text that a model or a provider wrote is hostile."""

from collections.abc import Mapping
from typing import Any

from tests.scripted_player import Chat, ScriptedPlayer
from tests.security.cast import play_to_the_end
from tests.security.script_payloads import PAYLOADS, packed
from tests.stub_provider import StubAnswer

REPLIES = 4


class HostileModel(ScriptedPlayer):
    """Writes every payload as a note of its own, then as a tool, as its arguments and as its text; then plays by rote."""

    def __call__(self, wire: str, body: dict[str, Any], headers: Mapping[str, str]) -> StubAnswer:
        if "report_sum" in str(body.get("tools")):
            text = "".join(packed(500, 1))
            return StubAnswer(text=text, calls=((text, {text: text}),), model=text)
        asked = Chat.of(wire, body).asked
        texts = PAYLOADS[asked::REPLIES]
        if asked < REPLIES:
            return StubAnswer(text="\n\n".join(texts), calls=tuple(("write_notes", {"notes": text}) for text in texts))
        if asked < 2 * REPLIES:
            texts = PAYLOADS[asked - REPLIES :: REPLIES]
            return StubAnswer(calls=tuple((text, {text: [text], "notes": {"x": text}}) for text in texts))
        return super().__call__(wire, body, headers)


def hostile_lab(owner: Any, stub: Any) -> dict[str, int]:
    """Furnish the organization of a membership; the ids of its experiment, its played run and its model."""
    from accounts.models import AuditEntry, Endpoint, Invitation, Membership, User
    from runs.models import Agent, Experiment, Run

    organization, user = owner.organization, owner.user
    organization.name = packed(100, 1)[0]
    organization.save()
    user.first_name = packed(150, 1)[0]
    user.save()
    people = [User(username=f"p{n}"[:150], first_name=t, email=f"p{n}@x.test") for n, t in enumerate(packed(150, 60))]
    people = User.objects.bulk_create(people)
    Membership.objects.bulk_create(Membership(organization=organization, user=p, role="viewer") for p in people)
    invited = [
        Invitation(
            organization=organization, email=text, role="viewer", token_hash=str(n), expires_at="2099-01-01T00:00Z"
        )
        for n, text in enumerate(packed(250, 30))
    ]
    Invitation.objects.bulk_create(invited)
    base_url = stub.base_url("openai")
    endpoints = Endpoint.objects.bulk_create(
        Endpoint(organization=organization, name=text, provider="openai-compatible", base_url=base_url)
        for text in packed(100, 60)
    )
    agents = Agent.objects.bulk_create(
        Agent(
            organization=organization,
            slug=f"hostile-{n}",
            name=text,
            provider="openai-compatible",
            model=text * 2,
            endpoint=endpoints[n % len(endpoints)],
            input_price=1,
            output_price=1,
        )
        for n, text in enumerate(packed(100, 500))
    )
    AuditEntry.objects.bulk_create(
        AuditEntry(organization=organization, actor_name=text[:150], action=text[:40], subject=text)
        for text in packed(300, 120)
    )
    Experiment.objects.bulk_create(
        Experiment(organization=organization, name=text, spec={"name": text}, created_by=people[n % len(people)])
        for n, text in enumerate(packed(200, 40))
    )
    experiment = _launched(owner, agents[:40])
    played, *others = experiment.runs.order_by("id")
    _play(played)
    _paint(others)
    assert Run.objects.get(pk=played.pk).notes.count() == len(PAYLOADS)
    return {"experiment": experiment.pk, "run": played.pk, "agent": agents[0].pk, "other": others[0].pk}


def _launched(owner: Any, agents: list[Any]) -> Any:
    from runs.launching.plan import LaunchPlan
    from runs.services import experiment_launch

    plan = LaunchPlan(environments=("pricing",), difficulties=("BASIC",), seeds=(0,), periods=1, agents=tuple(agents))
    return experiment_launch(
        organization=owner.organization, user=owner.user, plan=plan, name=packed(200, 1)[0], budget_nano=10**12
    )


def _play(run: Any) -> None:
    play_to_the_end(run.pk)
    run.refresh_from_db()
    assert run.state == "finished", run.reason


def _paint(runs: list[Any]) -> None:
    """The other runs end in every way, for a hostile reason, with a call that failed for it."""
    from runs.models import Exchange, Run

    states = ("finished", "paused", "errored", "stalled", "waiting")
    for place, (run, reason) in enumerate(zip(runs, packed(1000, len(runs)) * len(runs), strict=False)):
        run.state, run.reason, run.score, run.periods_played = states[place % 5], reason, 0.5, 1
        Exchange.objects.create(
            run=run,
            period_index=0,
            seat="seat_0",
            attempt=0,
            step=0,
            fence=1,
            state="unknown",
            error=reason,
            cost_nano=1,
        )
    Run.objects.bulk_update(runs, ["state", "reason", "score", "periods_played"])


def views(ids: dict[str, int]) -> list[str]:
    """Every page that shows such names and texts."""
    run, experiment = f"/runs/{ids['run']}/", f"/experiments/{ids['experiment']}/"
    return [
        "/",
        "/experiments/",
        "/experiments/new/",
        experiment,
        f"{experiment}ledger/",
        f"{experiment}litmus/",
        "/ledger/",
        "/spend/",
        run,
        f"{run}periods/0/?tab=notes",
        f"{run}periods/0/?tab=transcript",
        f"{run}periods/0/?tab=raw",
        f"{run}notes/",
        f"{run}notes/?text=canary",
        f"/runs/{ids['other']}/",
        "/agents/",
        "/agents/new/",
        f"/agents/{ids['agent']}/prices/",
        "/leaderboard/",
        "/leaderboard/cell/?environment=pricing&difficulty=BASIC&agent=hostile-5",
        "/litmus/",
        "/organization/",
        "/organization/audit/",
        "/organization/settings/",
        "/account/",
    ]
