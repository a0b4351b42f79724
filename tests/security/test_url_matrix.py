"""The answer of each address of the site to each role. An address with another guard than that of its area fails.

The tables are asked in part (fixture `some`), and as a whole by the long tests.
"""

import re
from copy import deepcopy
from itertools import product
from pprint import pformat

import pytest
from django.core.cache import cache
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from analysis.answers import ANSWERS
from tests.cast import CANARY, Telltale, furnish
from tests.security.guards import GUARDS, expected_guard, guard_of, methods_of, names_row, of_a_library, row_of
from tests.security.site_map import (
    FAR,
    METHODS,
    absent,
    address,
    exceptions,
    ids_of,
    in_some_forms,
    operations,
    pages,
    queries,
    rows,
)
from tests.stub_provider import StubProvider
from tests.visitors import ROLES, everybody

pytestmark = pytest.mark.spread

QUIET_WRITES = re.compile(
    r'(INSERT INTO|UPDATE|DELETE FROM) "(django_session|usersessions_usersession|accounts_user|account_emailaddress)"'
)
TOKEN = re.compile(rb'name="csrfmiddlewaretoken" value="[^"]+"')
EVER_NEW = (
    "organization/invitations/",
    "organization/invitations/<int:invitation_id>/renew/",
    "agents/<int:agent_id>/test/",
    "organization/webhooks/<int:webhook_id>/secret/",
    "experiments/<int:experiment_id>/report/",
    "studies/<int:study_id>/open-link/",
    "studies/participants/<int:participant_id>/renew/",
    *(f"{answer.address}report/" for answer in ANSWERS.values() if not answer.filter_class.OF_NAMED_AGENTS),
)
"""Answers that hold a new secret, a measured time, or a library with long numbers."""

NOTED_READS = {
    r"^exports/runs\.(?P<form>jsonl|csv)$": 'INSERT INTO "accounts_auditentry"',
    "s/<str:token>/": 'UPDATE "sharing_sharelink" SET "views"',
    "s/<str:token>/embed/": 'UPDATE "sharing_sharelink" SET "views"',
    "mentions/<int:mention_id>/": 'UPDATE "runs_mention" SET "read_at"',
}
"""Reading that is itself written down: who took all runs away, how often a link was opened, that a mention was seen."""

LINKS = ("invitations/", "s/", "p/", "results/")
"""Whoever knows such an address may read what it is for, and that tells names. Open galleries are for everybody.
`tests/sharing/test_visitors.py` and `test_gallery.py` say what a shared page must not tell."""

QUERIES = tuple(product(("get", "post"), ("tags", "everything else")))
NOBODY = "Zq7nobody"
FAR_NUMBER = re.compile(r"(?<![0-9a-z])1\d{8}(?![0-9a-z])")
"""A number by itself: the random hexadecimal of an event's id holds nine such digits once in 200 times."""
CLOCK = re.compile(rb'datetime="[^"]+"[^<]*<|\d+(\.\d+)? (ms|s|min)\b')


@pytest.fixture
def cast(organization, alice, owner, settings):
    """The clients of all roles, and the placeholders of both organizations."""
    from accounts.models import Membership

    # The page of an import changes its words when no worker took the archive within a sweep.
    settings.SWEEP_SECONDS = 3600
    organization.name = f"{CANARY} Lab"
    organization.save()
    clients = everybody(organization, alice, f"-{CANARY}")
    mallory = Membership.objects.get(user__username="mallory")
    with StubProvider(Telltale(CANARY)) as stub:
        furnish(owner, CANARY, stub)
    with StubProvider(Telltale("plain")) as stub:
        furnish(mallory, "plain", stub)
    return {"clients": clients, "ids": ids_of(owner) | {"(user_id)": alice.pk}, "own": ids_of(mallory)}


def asked(client, method, where, **options):
    """An answer; what the request changed is undone."""
    cookies = deepcopy(client.cookies)
    cache.clear()  # resets the limits of attempts
    with transaction.atomic():
        response = getattr(client, method)(where, **options)
        # A file that is sent while it is read is read before its rows are gone.
        response.body = b"".join(response.streaming_content) if response.streaming else response.content
        transaction.set_rollback(True)
    client.cookies = cookies
    return response


def codes(clients, method, where, roles=ROLES):
    return {role: str(asked(clients[role], method, where).status_code) for role in roles}


def near(found):
    return str(int(found[0]) - FAR)


def settled(response, *, nowhere=False):
    """The part of an answer that must not differ: without the token of its forms, and the time that live pages show.

    Where absent rows were asked for, their numbers become those of the foreign ones, which pages may repeat.
    """
    body, location = CLOCK.sub(b"", TOKEN.sub(b"", response.body)), response.headers.get("Location", "")
    if nowhere:
        body = FAR_NUMBER.sub(near, body.decode("latin-1")).encode("latin-1")
        location = FAR_NUMBER.sub(near, location)
    return response.status_code, location, body


def test_every_address_has_the_guard_of_its_area_or_a_listed_exception():
    ours = {route: view for route, view in pages().items() if not of_a_library(view)}
    guards = {route: (guard_of(view), expected_guard(route, view)) for route, view in ours.items()}
    assert {route: both for route, both in guards.items() if len({*both}) > 1} == {}


def test_the_tables_list_existing_addresses_and_no_redundant_exception():
    views, rows_named = pages(), exceptions()
    assert {*sum(GUARDS.values(), ()), *rows_named} <= {*views}
    libraries = {route for route, view in views.items() if of_a_library(view)}
    assert all(rows_named[route].keys() == {"get", "post"} for route in libraries)
    ours = {route: row_of(route, view) for route, view in views.items() if route not in libraries}
    assert [route for route in ours if rows_named.get(route, {}).items() & ours[route].items()] == []


@pytest.mark.long
def test_each_role_gets_the_answer_in_the_table(cast, some):
    wrong, named = {}, exceptions()
    for route, row in rows().items():
        for method, wanted in row.items():
            # Viewers are tested at every address with an explicit row.
            roles = {*some(ROLES, f"{method} {route}"), *["viewer"] * (route in named)}
            found = codes(cast["clients"], method, address(route, cast["ids"]), roles)
            if not found.items() <= dict(zip(ROLES, wanted.split(), strict=True)).items():
                wrong[f"{method} {route}"] = found
    assert not wrong, pformat(wrong)


@pytest.mark.long
def test_a_browser_session_gives_no_access_to_the_api(cast, some):
    """Its operations accept only bearer tokens: without a token every visitor gets the same refusal."""
    from runs.models import Run

    instance_id = Run.objects.get(pk=cast["ids"]["<int:run_id>"]).instance_id
    named = {"<int:instance_id>": instance_id, "<slug:slug>": "random", "<slug>": "random", "<action>": "pause"}
    ids, wrong = cast["ids"] | named, {}
    for route in operations():
        for method in some(METHODS, route):
            where = address(route, ids)
            found = {settled(asked(cast["clients"][role], method, where)) for role in some(ROLES, route, 2)}
            if len(found) != 1 or found.pop()[0] not in (401, 405):
                wrong[f"{method} {route}"] = codes(cast["clients"], method, where)
    assert not wrong, pformat(wrong)


@pytest.mark.long
def test_other_methods_write_nothing(cast, some):
    """PUT, PATCH and DELETE are refused or read; HEAD answers as GET, and so does POST where a view states no methods.

    None of them writes a row. No browser and no proxy keeps what a member reads; shared pages say what may be kept of them.
    """
    wrong, views = [], pages()
    for route, row in rows().items():
        where = address(route, cast["ids"])
        posted = guard_of(view := views[route]) == "viewer" and not methods_of(view) and not of_a_library(view)
        for method in ("get", *["post"] * posted, *some(("head", "options", *METHODS[2:]), route)):
            with CaptureQueriesContext(connection) as queries:
                response = asked(cast["clients"]["owner"], method, where)
            writes = [q["sql"] for q in queries if q["sql"].startswith(("INSERT", "UPDATE", "DELETE"))]
            noted = NOTED_READS.get(route, "nothing") if method == "get" else "nothing"
            loud = [sql for sql in writes if not QUIET_WRITES.match(sql) and not sql.startswith(noted)]
            read = int(row["get"].split()[ROLES.index("owner")])
            fine = response.status_code in (405, read, 302, 200 if method == "options" else 405)
            kept = method == "get" and "no-store" not in response.get("Cache-Control", "")
            if loud or response.status_code >= 500 or not fine or (kept and not route.startswith(("s/", "results/"))):
                wrong.append((method, route, response.status_code, read, loud[:1]))
    assert not wrong, pformat(wrong)


@pytest.mark.long
def test_a_foreign_row_gets_the_same_answer_as_a_missing_row(cast, some):
    client, ids = cast["clients"]["foreign owner"], cast["ids"]
    nowhere, wrong = absent(ids), []
    for route in filter(names_row, rows()):
        for method in some(METHODS, route):
            foreign = settled(asked(client, method, address(route, ids)))
            never = settled(asked(client, method, address(route, nowhere)), nowhere=True)
            if foreign != never or foreign[0] not in (404, 405):
                wrong.append((method, route, foreign[:2], never[:2]))
        # A body that would be right for one's own row changes nothing.
        body = {"text": "mine", "name": "mine", "starred": "1", "tag": ids["<int:tag_id>"], "colour": 1}
        if (code := asked(client, "post", address(route, ids), data=body).status_code) not in (404, 405):
            wrong.append(("post with a body", route, code))
    assert not wrong, pformat(wrong)


@pytest.mark.long
def test_a_query_with_a_foreign_row_gets_the_answer_of_a_missing_row(cast, some):
    """In the address bar and in forms, on the foreign owner's own pages."""
    client, ids, own = cast["clients"]["foreign owner"], cast["ids"], cast["own"]
    nowhere, wrong = absent(ids), []
    asking = [(route, *one) for route in in_some_forms(some) for one in some(QUERIES, route)]
    for route, method, named in asking:
        if route in EVER_NEW or route == "organization/switch/":
            continue
        where, answers = address(route, own), []
        for chosen in (ids, nowhere):
            # A tag that nothing carries empties a page, on which the others would say nothing any more.
            tags = {"tag": chosen["<int:tag_id>"], "into": chosen["<int:tag_id>"]}
            data = tags if named == "tags" else queries(chosen, CANARY if chosen is ids else NOBODY, route)
            answers.append(settled(asked(client, method, where, data=data), nowhere=chosen is nowhere))
        foreign, (status, location, body) = answers
        echoed = NOBODY.lower(), CANARY.lower()
        if foreign != (status, location.replace(*echoed), body.replace(*map(str.encode, echoed))) or status >= 500:
            wrong.append((method, route, answers[0][:2], answers[1][:2]))
    assert not wrong, pformat(wrong)


@pytest.mark.long
def test_names_of_an_organization_appear_in_no_answer_to_outsiders(cast, some):
    """Its names appear in no answer to outsiders, for any search, sorting or filter."""
    searches = [{}, {"text": "Zq7"}, {"agent": "zq7canary-model"}, {"sort": "agent", "page": "1", "name": "Zq7"}]
    # Who has no organization is turned away before any query is read.
    asking = [*product(("foreign owner",), searches), ("anonymous", {}), ("removed member", {})]
    told = []
    for route in in_some_forms(some):
        for role, data in some(asking, route):
            ids = cast["own"] if role == "foreign owner" else cast["ids"]
            response = asked(cast["clients"][role], "get", address(route, ids), data=data)
            if CANARY.encode() in response.body and not route.startswith(LINKS):
                told.append((role, route, data))
    assert not told


@pytest.mark.long
def test_actions_of_another_organization_do_not_change_our_pages(cast, organization, some):
    """Counts, facets and lists of choices are of one's own organization: another's launch moves none of them."""
    client, own = cast["clients"]["foreign owner"], cast["own"]
    quiet = [route for route in in_some_forms(some) if not route.startswith(("account/", "login", "logout"))]

    def pages():
        return {route: settled(asked(client, "get", address(route, own))) for route in quiet}

    before = pages()
    with StubProvider(Telltale(CANARY)) as stub:
        furnish(organization.memberships.get(role="owner"), CANARY, stub, name="second ")
    after = pages()
    assert [route for route in quiet if before[route] != after[route]] == []
