"""Downloads end with membership, and a person can run four concurrently."""

import http.client
import socket
import threading
import time
from types import SimpleNamespace

import pytest
import uvicorn
from django.db import connections

from accounts.models import Membership
from accounts.pages.downloads import DOWNLOADS_AT_ONCE, NoLongerAMember, download
from econevals_site.asgi import application
from runs.models import Note, Period
from tests.waiting import patience


@pytest.fixture
def parts(owner):
    """The parts of a download of so many seconds: 64 KB every tenth of a second."""

    def slowly(seconds):
        for _ in range(int(seconds * 10)):
            time.sleep(0.1)
            yield b"x" * 64 * 1024

    request = SimpleNamespace(method="GET", membership=owner)
    return lambda seconds: iter(download(request, "x.csv", "text/csv", slowly(seconds)).streaming_content)


def be_deactivated(membership):
    membership.user.is_active = False
    membership.user.save()


@pytest.mark.parametrize("deed", [Membership.delete, be_deactivated])
def test_a_former_member_gets_no_further_data_within_a_second(deed, owner, parts):
    sent, further = parts(5), []
    next(sent)
    deed(Membership.objects.get(pk=owner.pk))
    with pytest.raises(NoLongerAMember):
        further.extend(sent)
    assert len(further) < 10  # ten a second


def test_a_member_gets_the_complete_file(parts):
    assert len(b"".join(parts(1.5))) == 15 * 64 * 1024


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_a_download_over_a_real_connection_is_aborted(launch, alice, client, settings):
    run = launch("random").runs.get()
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
        reader = http.client.HTTPConnection("127.0.0.1", listener.getsockname()[1], timeout=patience())
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
        thread.join(patience())
        connections.close_all()


def test_a_fifth_concurrent_download_of_a_person_is_refused(played, page):
    place = f"/runs/{played('random').runs.get().pk}/run.jsonl"
    running = [page.get(place) for _ in range(DOWNLOADS_AT_ONCE)]
    refused = page.get(place)
    assert refused.status_code == 429 and refused["Retry-After"] == "30"
    assert "4 downloads of yours are running." in refused.text
    assert b"".join(running[0].streaming_content)
    assert page.get(place).status_code == 200


def test_an_unsent_answer_stops_counting(played, page):
    place = f"/runs/{played('random').runs.get().pk}/run.jsonl"
    for _ in range(2 * DOWNLOADS_AT_ONCE):
        answer = page.get(place)
        assert answer.status_code == 200
        # As `answer.close()` does, which also ends the connection that the test's transaction is on.
        for close in answer._resource_closers:
            close()
