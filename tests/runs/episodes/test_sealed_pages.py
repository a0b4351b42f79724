"""Pages, files, operations and tables reveal only that a sealed run is sealed."""

import json
import re

import pytest
from django.apps import apps
from django.core import serializers
from django.test import Client

from accounts.services.operators import operator_set
from environments.registry import generate
from runs.episodes.game import game_of, problem_of
from runs.episodes.models import Episode
from runs.findings.services import FINDINGS
from sharing.gallery.selectors import entry_rows, version_of
from sharing.gallery.services import entry_add, gallery_open
from sharing.services import Lasts, share_link_create
from tests.runs.episodes.conftest import SHORT, RestSeat, play_ranked
from tests.runs.episodes.leaking import leaked, leaked_orders, leaves, plain, words_of
from tests.security.site_map import every_route
from tests.visitors import signed_in
from workspace.webhooks.services import CHOICES, webhook_create

NOT_ASKED = re.compile(r"^\^|^admin|logout|^static|^account/oidc|<")
PRIVATE = {"episodes.episode", "episodes.season", "episodes.journalentry", "episodes.seat", "sessions.session"}
"""Tables of the episode service, which keep what is sealed, and sessions."""


def hidden_in(episodes):
    """What is told of sealed episodes by a text, as a function of it: numbers with at least six digits, orders, keys."""
    orders, numbers, words = [], set(), set()
    for episode in episodes:
        problem, game = problem_of(episode), game_of(episode)
        results = [[outcome.result, outcome.quality] for outcome in game.outcomes]
        orders += [problem.hidden, problem.reference]
        numbers |= {*leaves([problem.hidden, problem.reference, results, episode.result])}
        words |= words_of(episode)
        # Constants of the game, such as a root of two.
        public = generate(episode.environment, episode.difficulty, 0)
        numbers -= {*leaves([public.hidden, public.reference])}

    def told(text):
        text = plain(text)
        found = leaked(text, numbers, "", least=6) + leaked_orders(text, orders, "")
        return [*found, *(word for word in words if word in text)][:3]

    return told


def addresses(run):
    """Every address that a run and what it belongs to fill in, and every one without placeholders."""
    values = {
        "run_id": run.pk,
        "instance_id": run.instance_id,
        "experiment_id": run.experiment_id,
        "episode_id": run.episode.pk,
        "index": 0,
        "period": 0,
        "environment": run.instance.environment,
        "difficulty": run.instance.difficulty,
        "form": "json",
        "agent_slug": run.agent.slug,
        "agent_id": run.agent_id,
        "slug": run.episode.entry.season.slug,
        "season": run.episode.entry.season.slug,
    }
    for route in {*every_route()}:
        filled = re.sub(r"<(?:\w+:)?(\w+)>", lambda found: str(values.get(found[1], found[0])), route)
        if not NOT_ASKED.search(filled):
            yield f"/{filled}"
    yield from (f"/runs/{run.pk}/run.{form}" for form in ("jsonl", "csv", "eval"))
    yield from ("/leaderboard/?rows=outside", "/notes/?q=secretly", f"/compare/?agents={run.agent.slug}&rows=outside")


def text_of(answer):
    return (b"".join(answer.streaming_content) if answer.streaming else answer.content).decode("latin-1")


@pytest.fixture
def sealed(entered, page, owner):
    """The episodes of an entry in play: one played to its end, one for some periods with notes, one not begun."""
    webhook_create(actor=owner, url="https://hooks.example.org/", events=[*CHOICES])
    opened = entered(SHORT).json()["episodes"]
    play_ranked(opened[0])
    RestSeat(opened[2]["token"]).call(0, "write_notes", notes="Secretly, T1 seems best.")
    play_ranked(opened[2], periods=3)
    while FINDINGS.work_next():
        pass
    return list(Episode.objects.order_by("place"))


@pytest.mark.long
def test_every_address_and_table_hides_the_secrets_of_sealed_runs(sealed, opener, page, stranger, owner, join):
    told, secrets_told, count = {}, hidden_in(sealed), 0
    run = sealed[0].run
    links = [
        share_link_create(actor=owner, target=target, lasts=Lasts.WEEK, with_notes=True)[1]
        for target in (run, sealed[2].run, run.experiment)
    ]
    parts = ("", "cell/", *(f"runs/{number}/{part}" for number in (1, 3) for part in ("", "notes/", "periods/0/")))
    shared = [f"/s/{link}/{part}" for link in links for part in parts]
    entries = [
        entry_add(actor=owner, target=target, with_notes=True) for target in (run, sealed[2].run, run.experiment)
    ]
    gallery = entries[0].gallery
    gallery_open(actor=owner, version=version_of(gallery, entry_rows(gallery)))
    shared += [f"/results/{gallery.slug}/{entry.slug}/{part}" for entry in entries for part in (*parts, "picture.png")]
    shared += [f"/results/{gallery.slug}/{part}" for part in ("", "picture.png", "citation.bib")]
    operator_set(user=(olga := join("olga", "editor").user), is_operator=True)
    asked = [(Client(), where) for where in shared]
    ours = {*addresses(sealed[0].run), *addresses(sealed[2].run)}
    asked += [(reader, where) for reader in (page, signed_in(olga)) for where in sorted(ours)]
    asked += [(stranger, where) for where in sorted(ours) if re.search(r"\d|season", where) and "/api/" not in where]
    for client, where in asked:
        answer = client.get(where, headers=opener.headers if where.startswith("/api/") else {})
        text, count = text_of(answer), count + (answer.status_code == 200)
        if answer.status_code >= 500 or (found := secrets_told(text)):
            told[where] = (answer.status_code, found)
    assert count > 150 and not told
    # Nor do tables that pages and messages read have them, now that pages may have stored something.
    for model in apps.get_models():
        if model._meta.label_lower not in PRIVATE:
            text = serializers.serialize("json", model._base_manager.all())
            assert (model, secrets_told(text)) == (model, [])
    # The search finds them where they are.
    for episode in sealed[::2]:
        kept = {"hidden": problem_of(episode).hidden, "key": f"{problem_of(episode).seed:064x}", "is": episode.result}
        assert len(secrets_told(json.dumps(kept))) == 3
