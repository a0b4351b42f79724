"""Whoever is removed from an organization gets no further part of a download within a second."""

from __future__ import annotations

import threading
import time

import pytest
from django.db import connections

from accounts.models import Membership
from accounts.pages.downloads import NoLongerAMember, download


class Asked:
    """What a download needs to know of its request."""

    method = "GET"

    def __init__(self, membership):
        self.membership = membership


def slowly(seconds):
    """A file of 64 KB parts, one every tenth of a second."""
    for _ in range(int(seconds * 10)):
        time.sleep(0.1)
        yield b"x" * 64 * 1024


def test_a_removed_member_gets_no_further_part_within_a_second(alice, organization):
    membership = Membership.objects.get(user=alice)
    answer = download(Asked(membership), "x.csv", "text/csv", slowly(5))
    parts = iter(answer.streaming_content)
    next(parts)
    Membership.objects.filter(pk=membership.pk).delete()
    further: list[bytes] = []
    with pytest.raises(NoLongerAMember):
        further.extend(parts)
    assert len(further) < 10  # ten a second


def test_a_deactivated_person_neither(alice, organization):
    answer = download(Asked(Membership.objects.get(user=alice)), "x.csv", "text/csv", slowly(5))
    parts = iter(answer.streaming_content)
    next(parts)
    alice.is_active = False
    alice.save()
    with pytest.raises(NoLongerAMember):
        list(parts)


def test_a_member_gets_the_whole_file(alice, organization):
    answer = download(Asked(Membership.objects.get(user=alice)), "x.csv", "text/csv", slowly(1.5))
    assert len(b"".join(answer.streaming_content)) == 15 * 64 * 1024


@pytest.mark.django_db(transaction=True)
def test_a_download_over_a_real_connection_breaks_off(organization, alice, client, settings):
    """Served by the server itself: the reader sees that the file is not whole."""
    import http.client
    import socket

    import uvicorn

    from econevals_site.asgi import application
    from runs.launching.plan import LaunchPlan
    from runs.models import Note, Run
    from runs.services import experiment_launch

    agents = tuple(organization.agents.filter(slug="random"))
    plan = LaunchPlan(agents=agents, environments=("pricing",), difficulties=("BASIC",), seeds=(0,), periods=100)
    run = experiment_launch(organization=organization, user=alice, plan=plan).runs.get()
    from runs.models import Period

    for index in range(100):
        Period.objects.create(run=run, index=index, action={}, result={})
        Note.objects.create(run=run, period_index=index, seat="seat_0", order=0, text="long " * 40_000)
    client.force_login(alice)
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    server = uvicorn.Server(uvicorn.Config(application, log_level="critical"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        reader = http.client.HTTPConnection("127.0.0.1", listener.getsockname()[1], timeout=20)
        cookie = f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"
        reader.request("GET", f"/runs/{run.pk}/run.jsonl", headers={"Cookie": cookie})
        answer = reader.getresponse()
        assert answer.status == 200
        answer.read(200_000)
        Membership.objects.filter(user=alice).delete()
        time.sleep(0.6)
        with pytest.raises((http.client.IncompleteRead, ConnectionError)):
            answer.read()
    finally:
        server.should_exit = True
        thread.join(10)
        connections.close_all()
    assert Run.objects.filter(pk=run.pk).exists()
