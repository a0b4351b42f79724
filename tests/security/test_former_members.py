"""What a removed member created stops: receivers, readers and players may be theirs."""

import pytest
from django.test import Client

from accounts.models import Membership
from accounts.services.organizations import member_remove
from pages.play.models import Study
from pages.play.services.studies import open_link_create, study_create
from runs.episodes.models import Episode
from sharing.models import ShareLink
from sharing.services import share_link_create
from tests.api.conftest import Program, program  # noqa: F401
from tests.runs.episodes.conftest import HARNESS, RestSeat
from tests.visitors import signed_in
from workspace.webhooks.models import Webhook
from workspace.webhooks.services import webhook_create

PRACTICE = {"environment": "pricing", "difficulty": "BASIC", "seed": 0, "periods": 3, "harness": HARNESS}


@pytest.fixture
def second(join):
    return join("olga", "owner")


@pytest.fixture
def made(second, owner, played, program):  # noqa: F811
    """A webhook, a share link, an open study and a game of each of two owners: (path of the link, seat) by owner."""
    experiment = played("random")
    doors = {}
    for member in (owner, second):
        webhook_create(actor=member, url=f"https://{member.user.username}.example.org/hook", events=["run.finished"])
        link = share_link_create(actor=member, target=experiment, lasts="30")[1]
        study = study_create(
            actor=member, environment="pricing", difficulty="BASIC", name=f"Study of {member.user.username}",
            title="Prices", seeds="0", periods=3, practice=0, consent="Yes.",
        )  # fmt: skip
        open_link_create(actor=member, study=study)
        opened = program(member).post("/episodes", PRACTICE).json()
        doors[member.user.username] = (f"/s/{link}/", RestSeat(opened["token"]))
    return doors


@pytest.mark.long
def test_the_dialog_lists_what_the_removal_stops_and_others_keep_theirs(made, owner, second):
    page = signed_in(owner.user).get("/organization/").text
    for words in ("olga.example.org (paused)", "1 share link (revoked)", "Study of olga", "1 game in play (withdrawn)"):
        assert words in page
    member_remove(actor=owner, membership=second)
    assert not Membership.objects.filter(user=second.user).exists()
    ours, theirs = made["alice"], made["olga"]
    assert (Client().get(ours[0]).status_code, Client().get(theirs[0]).status_code) == (200, 404)
    assert (ours[1].status()["state"], theirs[1].status()["state"]) == ("open", "withdrawn")
    assert {hook.created_by.username: bool(hook.paused_at) for hook in Webhook.objects.all()} == {
        "alice": False,
        "olga": True,
    }
    assert {study.created_by.username: bool(study.open_hash) for study in Study.objects.all()} == {
        "alice": True,
        "olga": False,
    }
    assert ShareLink.objects.filter(ShareLink.open_now()).count() == Episode.objects.filter(ending="").count() == 1
