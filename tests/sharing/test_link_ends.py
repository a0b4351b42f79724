"""How links end, what dead ones answer, and what members are told of them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from sharing.models import ShareLink
from sharing.services import share_link_create
from tests.sharing.test_links import make
from tests.visitors import everybody, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def experiment(played):
    return played()


def headers(response):
    return {name: value for name, value in response.items() if name not in ("Content-Length",)}


def test_unknown_revoked_and_expired_links_are_answered_byte_for_byte_alike(member, owner, experiment, link):
    live = [link(experiment, with_notes=True) for _ in range(3)]
    revoked, expired, _ = ShareLink.objects.order_by("id")
    member.post(f"/share/links/{revoked.pk}/revoke/")
    ShareLink.objects.filter(pk=expired.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    for inner in (
        "",
        "embed/",
        "runs/1/",
        "runs/1/chart.json",
        "runs/1/notes/",
        "runs/1/periods/0/",
        "cell/",
        "strip.json",
    ):
        for client in (Client(), member):
            found = [client.get(path + inner) for path in (live[0], live[1], "/s/made-up/", "/s/%00%ff/")]
            assert {response.status_code for response in found} == {404}
            assert len({response.content for response in found}) == 1
            assert all(headers(response) == headers(found[0]) for response in found)
    assert Client().get(live[2]).status_code == 200


def test_what_a_link_does_not_cover_is_answered_like_a_dead_link(link, experiment, rival):
    path = link(experiment)
    dead = Client().get("/s/made-up/")
    for inner in ("runs/99/", "runs/1/notes/", "runs/1/periods/0/", "cell/", "strip.json"):
        response = Client().get(path + inner)
        assert (response.status_code, response.content) == (404, dead.content)


def test_revoking_counts_with_the_next_request_also_for_a_public_link(member, board, link):
    path = link(board(), lasts="public")
    response = Client().get(path)
    assert response.status_code == 200 and "no-cache" in response["Cache-Control"]
    member.post(f"/share/links/{ShareLink.objects.get().pk}/revoke/")
    assert Client().get(path).status_code == 404
    assert (
        "had already ended"
        in member.post(f"/share/links/{ShareLink.objects.get().pk}/revoke/", follow=True).content.decode()
    )


def test_a_link_ends_with_what_it_shows(member, board, experiment, link):
    table, game = board(), link(experiment)
    path = link(table)
    text = member.get(f"/leaderboards/{table.pk}/").content.decode()
    assert "1 share link leads to it" in text and "Delete it and 1 link" in text
    assert "1 share link shows this leaderboard" in member.get(f"/leaderboards/{table.pk}/change/").content.decode()
    member.post(f"/leaderboards/{table.pk}/delete/")
    member.post(f"/experiments/{experiment.pk}/delete/")
    assert Client().get(path).status_code == Client().get(game).status_code == 404
    assert not ShareLink.objects.exists()


def test_links_stay_when_who_made_them_leaves(organization, owner, board, link):
    from accounts.models import Membership, User
    from accounts.services import member_remove

    user = User.objects.create_user("edda", "edda@example.org", "correct horse battery")
    editor = Membership.objects.create(organization=organization, user=user, role="editor")
    token = share_link_create(actor=editor, target=board(), lasts="7")[1]
    member_remove(actor=owner, membership=editor)
    assert Client().get(f"/s/{token}/").status_code == 200


def test_a_link_to_a_figure_that_new_filters_leave_out_leads_nowhere(member, board, link):
    table = board(environments=("pricing", "procurement"))
    path = link(table, figure="strip.pricing")
    assert Client().get(path).status_code == Client().get(path + "strip.pricing.json").status_code == 200
    member.post(f"/leaderboards/{table.pk}/change/", {"name": table.name, "environments": ["procurement"]})
    for inner in ("", "embed/", "strip.pricing.json"):
        assert Client().get(path + inner).content == Client().get("/s/made-up/").content


def test_an_organization_goes_with_its_links(organization, owner, board, experiment, link):
    from accounts.services import organization_create, organization_delete

    paths = [link(board()), link(experiment), link(experiment.runs.get(), figure="chart")]
    organization_create(name="Elsewhere", owner=owner.user)
    organization_delete(actor=owner, typed_name=organization.name)
    assert [Client().get(path).status_code for path in paths] == [404, 404, 404]


# What is said about a link


def test_views_are_counted_and_the_time_is_written_once_a_minute(board, link):
    path = link(board())
    client = Client()
    client.get(path)
    first = ShareLink.objects.get()
    for inner in ("", "", "embed/", "strip.json"):
        client.get(path + inner)
    client.head(path)
    row = ShareLink.objects.get()
    assert (row.views, row.last_seen_at) == (4, first.last_seen_at)
    ShareLink.objects.update(last_seen_at=timezone.now() - timedelta(minutes=2))
    client.get(path)
    assert ShareLink.objects.get().last_seen_at > first.last_seen_at


def test_the_list_says_what_is_shared_and_filters_by_state(member, board, experiment, link):
    assert "Nothing is shared" in member.get("/share/").content.decode()
    link(board("Live one"))
    link(experiment)
    member.post(f"/share/links/{ShareLink.objects.latest('id').pk}/revoke/")
    live, ended = (member.get(f"/share/?state={state}").content.decode() for state in ("live", "ended"))
    assert "Live one" in live and experiment.name not in live
    assert experiment.name in ended and "Live one" not in ended


def test_another_organizations_links_are_not_there(organization, owner, board, link):
    clients = everybody(organization, owner.user)
    target = board()
    link(target)
    row = ShareLink.objects.get()
    foreign = clients["foreign owner"]
    assert "Shared table" not in foreign.get("/share/").content.decode()
    assert foreign.post(f"/share/links/{row.pk}/revoke/").status_code == 404
    assert make(foreign, target).status_code == 404
    assert ShareLink.objects.get().revoked_at is None
    assert signed_in(owner.user).get("/share/planet/1/").status_code == 404
