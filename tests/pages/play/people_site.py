"""What people play on a running site, made in a process beside it: games in the middle, a study, a season."""

import json
from decimal import Decimal

from django.test import Client

from tests.cast import open_season
from tests.pages.play.conftest import CONSENT, DIFFICULTY, Person

PLAYED = 3


def populate():
    """Print the addresses by name: a game of each environment after some periods, and a page of each kind."""
    from accounts.models import Membership
    from pages.play.practice import rivals_of
    from pages.play.services.games import game_open
    from pages.play.services.participants import participants_create
    from pages.play.services.studies import study_create
    from runs.episodes.models import Episode
    from runs.episodes.services.opening import Harness
    from runs.episodes.services.preparing import episode_prepare
    from runs.episodes.services.seasons import entry_open, entry_prepare

    owner = Membership.objects.filter(role="owner").first()
    client = Client(SERVER_NAME="localhost")
    client.force_login(owner.user)
    addresses = {}
    for name, difficulty in DIFFICULTY.items():
        game = {"environment": name, "difficulty": difficulty, "seed": 0, "periods": 12, "variant": "main"}
        rival = next(iter(rivals_of(name)), "")
        (seat,) = game_open(organization=owner.organization, user=owner.user, name="owner", rival=rival, **game)
        episode_prepare(episode=Episode.objects.get(pk=seat.episode_id))
        played = Person(f"/play/{seat.episode_id}/", client)
        for period in range(PLAYED):
            played.open()
            played.play(period, notes=f"Period {period}: a first try.", **played.filled("1"))
        addresses[f"period-{name.partition('_')[0]}"] = played.address
    study = study_create(
        actor=owner,
        name="Pilot",
        title="A study of decisions",
        environment="pricing",
        difficulty="BASIC",
        seeds="0-2",
        periods=PLAYED,
        practice=1,
        consent=CONSENT,
        fee=Decimal("2.50"),
        rate=Decimal("0.1"),
        shows_payoff=True,
        completion_code="DONE42",
    )
    addresses["study"] = f"/studies/{study.pk}/"
    made = participants_create(actor=owner, study=study, count=60, labels=[f"60aa13ff{place}" for place in range(50)])
    for (_, secret), name in zip(made, ("consent", "practice", "begin", "participant", "end"), strict=False):
        person = Person(f"/p/{secret}/", Client(SERVER_NAME="localhost"))
        addresses[name] = person.address
        if name == "consent":
            continue
        person.agree()
        if name == "practice":
            continue
        person.start() if name != "begin" else person.send("practice/0/", a0="3")
        for period in range({"participant": 1, "end": PLAYED}.get(name, 0)):
            person.play(period, notes="I begin low.", a0="3")
    season = open_season("Winter season")
    prepared = entry_prepare(
        organization=owner.organization, user=owner.user, season=season, harness=Harness("human", "owner")
    )
    entry_open(organization=owner.organization, user=owner.user, prepared=prepared)
    addresses["season"] = f"/seasons/{season.slug}/"
    print(json.dumps(addresses))
