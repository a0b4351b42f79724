"""A running site, its owner as a program, and an unreliable connection to it."""

import http.client
import json
from contextlib import contextmanager

import pytest

import econevals
from tests.client.small_site import Reply, small_site
from tests.waiting import patience

TOKEN_OF_OWNER = """
from datetime import timedelta
from django.utils import timezone
from accounts.models import Membership
from api.services import personal_token_create
owner = Membership.objects.get(role="owner")
expires = timezone.now() + timedelta(days=1)
print(personal_token_create(actor=owner, name="program", scopes=["read", "launch", "play"], expires_at=expires)[1])
"""


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    # The tests without a site also run where the packages for one are missing.
    from tests.running_site import running_site

    # A whole run takes more requests than a minute allows a program by default.
    with running_site(tmp_path_factory.mktemp("site"), ECONEVALS_API_REQUESTS="100000") as site:
        yield site


@pytest.fixture(scope="session")
def token(site):
    return site.run(TOKEN_OF_OWNER)


@pytest.fixture(scope="session")
def owner(site, token):
    """The client of the site's owner."""
    with econevals.connect(site.address, token) as client:
        yield client


@contextmanager
def bad_way(address, fate):
    """A way to a site on which requests and answers are lost; the address of its beginning.

    fate: gives for the number of a request 'lost' (never arrives), 'unanswered' (the answer is lost), 'twice' (arrives
    twice), 'away' (a gateway answers for the site), or anything else, which means that it works
    """
    host = address.removeprefix("http://")

    def pass_on(request):
        connection = http.client.HTTPConnection(host, timeout=patience())
        headers = {name: request.headers[name] for name in ("authorization", "content-type") if name in request.headers}
        content = None if request.body is None else json.dumps(request.body)
        connection.request(request.method, request.path, content, headers)
        answer = connection.getresponse()
        kept = {
            name: value for name, value in answer.headers.items() if name.lower() in ("retry-after", "content-type")
        }
        reply = Reply(status=answer.status, headers=kept, raw=answer.read())
        connection.close()
        return reply

    def answer(request, number):
        match fate(number):
            case "lost":
                return Reply(status=None)
            case "unanswered":
                pass_on(request)
                return Reply(status=None)
            case "twice":
                pass_on(request)
                return pass_on(request)
            case "away":
                return Reply(status=502, raw=b"<html>Bad gateway</html>", headers={"Retry-After": "0"})
        return pass_on(request)

    with small_site(answer) as way:
        yield way.url
