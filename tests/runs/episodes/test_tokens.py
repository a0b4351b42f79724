"""A seat token opens only its episode, and a token of an owner cannot play."""

import re

import pytest
from django.core.cache import cache
from django.test import Client as Browser

from api.protocol.describing import description, scopes
from runs.episodes.models import Episode
from tests.api.conftest import EVERYTHING, Program
from tests.cast import Telltale, furnish
from tests.runs.episodes.mcp_messages import PING, ask, call
from tests.security.site_map import address, ids_of, rows
from tests.stub_provider import StubProvider
from tests.visitors import ROLES

ROOT = "/api/v1"
SEATS = f"{ROOT}/episode"
LIST = {"jsonrpc": "2.0", "id": 7, "method": "tools/list"}
OPERATIONS = [(method, path) for path, found in description()["paths"].items() for method in found]
OF_SEATS = [(method, path) for method, path in OPERATIONS if path == SEATS or path.startswith(f"{SEATS}/")]


def codes(token, operations):
    """The status of every operation, asked with a token, for objects that may not exist."""
    program, found = Program(token), {}
    for method, path in operations:
        cache.clear()  # so many wrong tokens from one address are too many
        where = path.removeprefix(ROOT)
        where = re.sub(r"{(\w+_id|index)}", "1", where)
        where = where.replace("{action}", "pause").replace("{slug}", "random").replace("{season}", "winter")
        assert "{" not in where, where
        found[method, path] = program.send(method, where, None if method == "get" else {}).status_code
    return found


@pytest.mark.long
def test_a_seat_token_opens_only_operations_of_its_episode(opened):
    token = opened()["token"]
    others = [one for one in OPERATIONS if one not in OF_SEATS]
    assert len(OF_SEATS) == 5 and len(others) > 60
    assert set(codes(token, others).values()) == {401}
    assert 401 not in codes(token, OF_SEATS).values()


@pytest.mark.parametrize("scopes", [EVERYTHING, ("play",)])
def test_a_token_of_an_owner_cannot_play(opened, program, scopes):
    opened()
    assert set(codes(program(scopes=scopes).token, OF_SEATS).values()) == {401}


@pytest.mark.long
@pytest.mark.parametrize("scope", EVERYTHING)
def test_a_token_with_a_single_scope_opens_only_operations_of_that_scope(program, scope):
    others = [one for one in OPERATIONS if one not in OF_SEATS]
    needed = {(method, path): name or scope for path, method, name in scopes()}
    found = codes(program(scopes=(scope,)).token, others)
    assert {one for one, status in found.items() if status != 403} == {one for one in others if needed[one] == scope}


@pytest.mark.long
def test_seats_and_owners_get_separate_mcp_tools(opened, program):
    """Each token gets its own tools, and those of the other kind are as unknown as any."""
    seat, reader = opened()["token"], program(scopes=("read",)).token
    tools = {token: [tool["name"] for tool in ask(LIST, token).json()["result"]["tools"]] for token in (seat, reader)}
    assert "start_period" in tools[seat] and "list_runs" in tools[reader] and not {*tools[seat]} & {*tools[reader]}
    for token, foreign in ((seat, tools[reader]), (reader, tools[seat])):
        for tool in (*foreign, "get_nothing"):
            assert ask(call(tool), token).json()["error"]["message"] == f"Unknown tool: '{tool}'"
    for scope in ("play", "launch", "manage"):
        assert ask(LIST, program(scopes=(scope,)).token).status_code == 403


@pytest.mark.long
def test_tokens_open_no_page(opened, owner, program):
    """A page answers as to anybody without an account, with the token of a seat and with that of its owner."""
    with StubProvider(Telltale("plain")) as stub:
        furnish(owner, "plain", stub)
    tokens = (opened()["token"], program(scopes=EVERYTHING).token)
    ways = [{}, *({"Authorization": f"Bearer {token}"} for token in tokens)]
    ids, wrong = ids_of(owner), {}
    for route, row in rows().items():
        # A participant's link needs no token and gives the same answer with any token. The only gallery is led to at once.
        if route in ("mcp", "results/") or route.startswith("p/"):
            continue
        for method in ("get", "post"):
            cache.clear()
            wanted = row[method].split()[ROLES.index("anonymous")]
            found = {getattr(Browser(), method)(address(route, ids), headers=sent).status_code for sent in ways}
            if len(found) != 1 or found != {int(wanted)}:
                wrong[method, route] = found, wanted
    assert not wrong
    for token in tokens:
        assert Browser().get(f"/p/{token}/").status_code == Browser().get(f"/s/{token}/").status_code == 404


def test_a_token_of_a_deleted_run_is_refused(opened):
    answer = opened()
    Episode.objects.get(pk=answer["id"]).run.delete()
    assert ask(PING, answer["token"]).status_code == 401
    assert Program(answer["token"]).get("/episode").status_code == 401
