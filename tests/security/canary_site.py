"""A site in a process of its own with keys that are easy to recognise: python -m tests.security.canary_site FOLDER.

Runs are played with the real engine against an endpoint that repeats the key in every way it can; then every page is
opened, with DEBUG on and two of them broken on purpose. What the pages answered and what the database holds unpacked goes
to files in FOLDER; the database, the broker's file and the logs are the site's own.
"""

import itertools
import json
import logging
import os
import sys
from contextlib import redirect_stdout
from pathlib import Path

from agents.providers.makers import MAKERS
from tests.cast import launched, play_all
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubAnswer, StubProvider

KEYS = {wire: f"sk-Zq7+canary/{wire}~0123456789abcdef" for wire in ("openai", "anthropic", "environment", "header")}
HEADERS = f"X-Gateway-Key: {KEYS['header']}\nX-Title: Canary"
CONTROL = "control-Zq7-not-secret"
STATUSES = ("200", "302", "400", "401", "403", "404", "429", "500", "cut", "html", "error")


class Echo(ScriptedPlayer):
    """The model id says how the key is repeated."""

    def __call__(self, wire, body, headers):
        key = headers.get("authorization", "").removeprefix("Bearer ") or headers.get("x-api-key", "")
        header = headers.get("x-gateway-key", "none")
        told = f"The key {key} (Authorization: Bearer {key}) or {header} is not right. {CONTROL}"
        sent = {"X-Echo": f"{key} {header}", "Set-Cookie": f"key={key}", "Location": f"http://127.0.0.1:9/?key={key}"}
        match str(body["model"]).rpartition("-")[2]:
            case "200":
                answer = super().__call__(wire, body, headers)
                calls = tuple((name, {**arguments, "echo": told}) for name, arguments in answer.calls)
                notes = ("write_notes", {"notes": told})
                return StubAnswer(text=told, calls=(notes, (told, {told: told}), *calls), headers=sent, model=told)
            case "cut":
                return StubAnswer(text=told, headers=sent, cut=40 + len(told))
            case "html":
                return StubAnswer(raw=f"<html><h1>{told}</h1>".encode(), headers=sent)
            case "error":
                return StubAnswer(raw=json.dumps({"error": {"message": told, "type": key}}).encode(), headers=sent)
            case status:
                return StubAnswer(status=int(status), error=told, headers=sent)


def main(folder):
    import django

    django.setup()
    from django.core.management import call_command

    logging.getLogger("econevals.canary").debug("Whoever logs at this level is heard.")
    call_command("migrate", verbosity=0)
    from infrastructure.broker import start_if_down

    broker = start_if_down()
    try:
        with StubProvider(Echo()) as stub:
            ids = play(stub)
            # The files as a thief would find them while the site runs, the write-ahead log among them.
            for path in folder.glob("*.sqlite3*"):
                (folder / f"stolen-{path.name}").write_bytes(path.read_bytes())
            look(folder, ids)
    finally:
        if broker is not None:
            from infrastructure.broker import client as connection

            (folder / "queue").write_text(repr([connection().dump(name) for name in connection().scan_iter()]))
            broker.terminate()
            broker.wait()


def play(stub):
    """One run for each way to repeat a key, at endpoints of both kinds and with a key from the environment."""
    from accounts.models import User
    from accounts.services.endpoints import endpoint_create
    from accounts.services.organizations import organization_create
    from runs.services.agents import agent_create
    from runs.services.catalog import catalog_install

    user = User.objects.create_user("owner", "owner@example.org")
    organization = organization_create(name=CONTROL, owner=user, allow_environment_keys=True)
    catalog_install(organization=organization)
    agents = []
    # Keys of the environment go to the provider's own address only.
    MAKERS["openai"].own_url = stub.base_url("openai")
    for wire, provider in (("openai", "openai-compatible"), ("anthropic", "anthropic"), ("environment", "openai")):
        if wire == "environment":
            endpoint = organization.endpoints.get(provider=provider)
        else:
            options = {"provider": provider, "base_url": stub.base_url(wire), "key": KEYS[wire], "headers": HEADERS}
            endpoint = endpoint_create(organization=organization, name=wire, actor=user, **options)
        for status in STATUSES:
            named = {"name": f"{wire} {status}", "model": f"{CONTROL}-{status}"}
            agents.append(agent_create(organization=organization, endpoint=endpoint, **named))
    experiment = launched(organization, agents, name=CONTROL)
    play_all(experiment)
    run = experiment.runs.get(agent=agents[0])
    assert run.state == "finished", run.reason
    return {"experiment": experiment.pk, "run": run.pk, "endpoint": endpoint.pk}


def look(folder, ids):
    """Every page of every run, the connection tests, the exports, the rows unpacked, and pages with a fault in them."""
    from django.core.management import call_command
    from django.test import Client

    from accounts.models import Membership
    from accounts.services import endpoints, people
    from runs.engine import players
    from runs.models import Agent, Exchange, Note, Run

    client, number = Client(raise_request_exception=False, HTTP_HOST="localhost"), itertools.count()
    client.force_login(Membership.objects.get(role="owner").user)

    def keep(response):
        body = b"".join(response.streaming_content) if response.streaming else response.content
        head = repr(dict(response.headers)).encode()
        (folder / f"answer-{next(number)}").write_bytes(b"\n".join([head, body]))
        return response.status_code

    for run in Run.objects.all():
        for path in ("", "periods/0/?tab=transcript"):
            keep(client.get(f"/runs/{run.pk}/{path}"))
    for path in ("notes/", "notes/?text=key", "periods/0/?tab=raw", "periods/0/period.json"):
        assert keep(client.get(f"/runs/{ids['run']}/{path}")) == 200, path
    experiment = f"/experiments/{ids['experiment']}/"
    for path in (
        *("/", "/agents/", "/ledger/", "/ledger/ledger.csv", "/spend/", "/organization/", "/organization/audit/"),
        *("/leaderboard/", "/experiments/", experiment, f"{experiment}ledger/ledger.csv", "/account/"),
        *(f"/agents/endpoints/{ids['endpoint']}/{page}/" for page in ("key", "headers", "address", "limits")),
    ):
        assert keep(client.get(path)) == 200, path
    for agent in Agent.objects.exclude(endpoint=None).filter(model__startswith=CONTROL):
        keep(client.post(f"/agents/{agent.pk}/test/"))
    for form in ("jsonl", "csv"):
        with (folder / f"export.{form}").open("w") as out, redirect_stdout(out):
            call_command("export", experiment=ids["experiment"], format=form)
    rows = [list(model.objects.values()) for model in (Run, Exchange, Note, Agent)]
    (folder / "rows").write_text(repr(rows))

    def broken(*arguments, **options):
        raise RuntimeError("A fault while a key is at hand.")

    players._client = endpoints.endpoint_set_key = endpoints.endpoint_set_headers = people.invitation_create = broken
    anybody = Agent.objects.filter(model=f"{CONTROL}-200").first()
    assert keep(client.post(f"/agents/{anybody.pk}/test/")) == 500
    assert keep(client.post(f"/agents/endpoints/{ids['endpoint']}/key/", {"key": KEYS["openai"]})) == 500
    assert keep(client.post(f"/agents/endpoints/{ids['endpoint']}/headers/", {"headers": HEADERS})) == 500


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "econevals_site.settings")
    main(Path(sys.argv[1]))
