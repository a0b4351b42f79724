"""An organization full of canaries: words that no visitor may read, in every field that could leak."""

import numpy as np
import pytest

from accounts.models import Endpoint
from analysis.base.benchmark_filters import TableFilter
from analysis.notes.models import NotesAnalysis
from analysis.notes.text.clusters import Cluster, Paragraph
from analysis.notes.text.report import report
from analysis.saved.services import leaderboard_create
from environments.registry import ENVIRONMENTS
from runs.engine.advance import advance
from runs.models import Agent, Exchange, Note, Period
from sharing.gallery.selectors import entry_rows, gallery_of, version_of
from sharing.gallery.services import entry_add, gallery_open, gallery_save
from sharing.services import share_link_create
from tests.visitors import signed_in

SECRETS = {
    "cost": "98765.43",
    "tokens": "7,654,321",
    "mail": "canary-mail",
    "person": "Canary Person",
    "endpoint": "canary-endpoint",
    "host": "canary-host",
    "key": "cnry",
    "reason": "canary-reason",
    "error": "canary-error",
    "hidden truth": "canary-hidden",
    "other run": "Canary Rival",
    "other experiment": "Canary Experiment",
    "label": "canary-label",
}
"""Never, whatever a link allows."""

NOTES = {name: f"canary-{name}" for name in ("note", "thinking", "said", "argument", "result")}
"""Only where a link has notes on."""


@pytest.fixture
def owner(alice):
    """The owner's membership; name and address are canaries."""
    type(alice).objects.filter(pk=alice.pk).update(
        email=f"{SECRETS['mail']}@example.org", first_name="Canary", last_name="Person"
    )
    alice.refresh_from_db()
    return alice.memberships.select_related("organization", "user").get()


@pytest.fixture
def member(owner):
    return signed_in(owner.user)


@pytest.fixture
def played(launch, organization, owner):
    """An experiment played by the engine, then given to a model behind an endpoint, with canaries in every field."""

    def play(environment="procurement", **options):
        difficulty = "BASIC" if environment in ("procurement", "scheduling", "pricing") else "STANDARD"
        values = {"environments": (environment,), "difficulties": (difficulty,), "periods": 3} | options
        experiment = launch(BASELINE[environment], **values)
        for run_id in experiment.runs.values_list("id", flat=True):
            advance(run_id)
        model = _model(organization)
        for run in experiment.runs.select_related("instance"):
            _poison(run, model)
        experiment.runs.update(
            agent=model,
            cost_nano=98_765_430_000_000,
            thinking_nano=98_765_430_000_000,
            input_tokens=7_654_321,
            reasoning_tokens=7_654_321,
            reason="canary-reason",
            conditions={"seat_0": {"wire": "canary-endpoint"}},
        )
        type(experiment).objects.filter(pk=experiment.pk).update(cost_nano=98_765_430_000_000, created_by=owner.user)
        experiment.refresh_from_db()
        return experiment

    return play


BASELINE = dict.fromkeys(("procurement", "scheduling", "pricing", "patience_vs_impatience"), "random") | {
    "efficiency_vs_equality": "equality-greedy-efficiency",
    "collusiveness_vs_competitiveness": "collusion-nash",
}


@pytest.fixture
def experiment(played):
    return played()


@pytest.fixture
def rival(organization, launch):
    """A finished run of another agent in another experiment of the same organization."""
    experiment = launch("optimum", environments=("pricing",), periods=2)
    type(experiment).objects.filter(pk=experiment.pk).update(name=SECRETS["other experiment"])
    agent = Agent.objects.create(organization=organization, slug="canary-rival", name=SECRETS["other run"], model="x")
    experiment.runs.update(agent=agent, state="finished", score=0.5)
    return experiment


@pytest.fixture
def study(organization, owner):
    """A finished notes analysis of an experiment. Its words, paragraphs and chains of preferences are canaries."""

    def make(experiment, text="canary-note: W1 prefers T1 > T2 > T3", label="canary-note, drift", **changes):
        writer = experiment.runs.select_related("agent").first().agent
        namer = Agent.objects.get_or_create(organization=organization, slug="namer", name=SECRETS["other run"])[0]
        paragraphs = [
            Paragraph(agent, run, period, text)
            for agent in (writer.pk, namer.pk)
            for run in experiment.runs.values_list("pk", flat=True)
            for period in (0, 1)
        ]
        half = len(paragraphs) // 2
        clusters = [
            Cluster(label, {agent: half}, {agent: 1.0}, agent, 1.0, [place])
            for agent, place in ((writer.pk, 0), (namer.pk, half))
        ]
        for cluster in clusters:
            cluster.shares.update({agent: cluster.shares.get(agent, 0.0) for agent in (writer.pk, namer.pk)})
        result = report(
            paragraphs, clusters, np.eye(len(paragraphs)), names={writer.pk: writer.name, namer.pk: "Second writer"},
            ranked=ENVIRONMENTS["scheduling"].ranked_names,
        )  # fmt: skip
        values = {
            "name": "Shared analysis", "filter": {"environment": "scheduling"}, "created_by": owner.user,
            "state": "done", "result": result | {"found": len(paragraphs), "variance": [0.5, 0.2]},
            "endpoint": Endpoint.objects.filter(name=SECRETS["endpoint"]).first(), "labels_by": namer,
            "model": f"{SECRETS['endpoint']}-embedder",
        }  # fmt: skip
        return NotesAnalysis.objects.create(organization=organization, **values | changes)

    return make


@pytest.fixture
def leaderboard(organization, owner):
    def save(name="Shared table", **filters):
        values = {"organization": organization, "user": owner.user, "kind": "benchmark"}
        return leaderboard_create(name=name, filters=TableFilter(**filters), **values)

    return save


@pytest.fixture
def link(owner):
    """The path of a new link to something; `of` is the ShareLink."""

    def make(target, **options):
        values = {"lasts": "30", "label": SECRETS["label"]} | options
        return f"/s/{share_link_create(actor=owner, target=target, **values)[1]}/"

    return make


def _model(organization):
    endpoint = Endpoint.objects.get_or_create(
        organization=organization,
        name="canary-endpoint",
        provider="openai-compatible",
        base_url="https://canary-host.example/v1",
        key_last_four="cnry",
    )[0]
    return Agent.objects.get_or_create(
        organization=organization,
        slug="house",
        name="House model",
        model="house-1",
        provider="openai-compatible",
        endpoint=endpoint,
        input_price=1,
        output_price=1,
    )[0]


def _poison(run, model):
    instance = run.instance
    instance.hidden = instance.hidden | {"canary": "canary-hidden"}
    instance.save()
    nano = {"cost_nano": 98_765_430_000_000, "thinking_nano": 98_765_430_000_000}
    Period.objects.filter(run=run).update(input_tokens=7_654_321, reasoning_tokens=7_654_321, **nano)
    Note.objects.filter(run=run).delete()
    Exchange.objects.filter(run=run).delete()
    call = {"name": "submit", "arguments": {"x": "canary-argument"}, "raw": "", "id": "1"}
    result = {"text": "canary-result", "is_error": False, "ignored": False, "characters": 13}
    money = nano | {"input_tokens": 7_654_321, "fence": 1, "attempt": 0}
    for index in range(run.periods_played):
        Note.objects.create(run=run, period_index=index, seat="seat_0", order=0, text=f"canary-note {index}")
        place = {"run": run, "period_index": index, "seat": "seat_0"}
        reply = {"thinking": "canary-thinking", "text": "canary-said", "calls": [call], "stop": "tool_use"}
        reply["usage"] = {"reasoning_tokens": 7_654_321}
        Exchange.objects.create(**place, **money, step=0, send=0, state="unknown", error="canary-error at canary-host")
        Exchange.objects.create(**place, **money, step=0, send=1, state="replied", reply=reply, results=[result])


@pytest.fixture
def gallery(owner):
    """The path of an open gallery with the things; `notes` are those that are shown with notes."""

    def make(*targets, notes=(), **values):
        texts = {"title": "Shown results", "slug": "shown", "text": "", "authors": "", "publication": "", "doi": ""}
        gallery_save(actor=owner, **texts | values)
        for target in targets:
            entry_add(actor=owner, target=target, caption="A caption", with_notes=target in notes)
        stored = gallery_of(owner.organization)
        gallery_open(actor=owner, version=version_of(stored, entry_rows(stored)))
        return f"/results/{stored.slug}/"

    return make
