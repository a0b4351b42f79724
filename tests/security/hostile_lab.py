"""An organization in which every name and every text that a model or a provider wrote is hostile."""

from tests.cast import launched, play_to_the_end
from tests.scripted_player import Chat, ScriptedPlayer
from tests.security.script_payloads import PAYLOADS, packed
from tests.stub_provider import StubAnswer

REPLIES = 4


class HostileModel(ScriptedPlayer):
    """Writes every payload as a note of its own, then as a tool, as its arguments and as its text; then plays by rote."""

    def __call__(self, wire, body, headers):
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


def hostile_lab(owner, stub):
    """Furnish the organization of a membership; the ids of its experiment, its played run and its model."""
    from accounts.models import AuditEntry, Endpoint, Invitation, Membership, User
    from runs.models import Agent, Experiment

    organization, user = owner.organization, owner.user
    organization.name = packed(100, 1)[0]
    organization.save()
    user.first_name = packed(150, 1)[0]
    user.save()
    people = [User(username=f"p{n}"[:150], first_name=t, email=f"p{n}@x.test") for n, t in enumerate(packed(150, 60))]
    people = User.objects.bulk_create(people)
    Membership.objects.bulk_create(Membership(organization=organization, user=p, role="viewer") for p in people)
    invited = {"organization": organization, "role": "viewer", "expires_at": "2099-01-01T00:00Z"}
    Invitation.objects.bulk_create(
        Invitation(email=text, token_hash=str(n), **invited) for n, text in enumerate(packed(250, 30))
    )
    base_url = stub.base_url("openai")
    endpoints = Endpoint.objects.bulk_create(
        Endpoint(organization=organization, name=text, provider="openai-compatible", base_url=base_url)
        for text in packed(100, 60)
    )
    made = {"organization": organization, "provider": "openai-compatible", "input_price": 1, "output_price": 1}
    agents = Agent.objects.bulk_create(
        Agent(slug=f"hostile-{n}", name=text, model=text * 2, endpoint=endpoints[n % len(endpoints)], **made)
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
    experiment = launched(organization, agents[:40], name=packed(200, 1)[0], budget_nano=10**12)
    played, *others = experiment.runs.order_by("id")
    play_to_the_end(played.pk)
    played.refresh_from_db()
    assert played.state == "finished", played.reason
    _paint(others)
    assert played.notes.count() == len(PAYLOADS)
    return {"experiment": experiment.pk, "run": played.pk, "agent": agents[0].pk, "other": others[0].pk}


def _paint(runs):
    """The other runs end in every way, for a hostile reason, with a call that failed for it."""
    from runs.models import Exchange, Run

    states = ("finished", "paused", "errored", "stalled", "waiting")
    for place, (run, reason) in enumerate(zip(runs, packed(1000, len(runs)) * len(runs), strict=False)):
        run.state, run.reason, run.score, run.periods_played = states[place % 5], reason, 0.5, 1
        call = {"period_index": 0, "seat": "seat_0", "attempt": 0, "step": 0, "fence": 1}
        Exchange.objects.create(run=run, state="unknown", error=reason, cost_nano=1, **call)
    Run.objects.bulk_update(runs, ["state", "reason", "score", "periods_played"])


def views(ids):
    """Every page that shows such names and texts."""
    run, experiment = f"/runs/{ids['run']}/", f"/experiments/{ids['experiment']}/"
    return f"""
        / /experiments/ /experiments/new/ {experiment} {experiment}ledger/ {experiment}litmus/ /ledger/ /spend/
        {run} {run}periods/0/?tab=notes {run}periods/0/?tab=transcript {run}periods/0/?tab=raw
        {run}notes/ {run}notes/?text=canary /runs/{ids["other"]}/
        /agents/ /agents/new/ /agents/{ids["agent"]}/edit/ /litmus/ /leaderboard/
        /leaderboard/cell/?environment=pricing&difficulty=BASIC&agent=hostile-5
        /organization/ /organization/audit/ /organization/settings/ /account/
    """.split()
