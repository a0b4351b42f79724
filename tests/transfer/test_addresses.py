"""Who gets what answer at each address of exports and imports."""

from __future__ import annotations

import pytest
from django.db import transaction
from django.test import Client

from accounts.models import Membership, User
from tests.accounts.matrix import ROLES
from tests.transfer.matrix import ROWS
from tests.transfer.published_log import write_log
from transfer.urls import urlpatterns


def signed_in(user):
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def clients(page, stranger, viewer, organization):
    def member(name):
        user = User.objects.create_user(name, f"{name}@example.org", "correct horse battery")
        return user, Membership.objects.create(organization=organization, user=user, role="editor")

    (edda, _), (rex, removed) = member("edda"), member("rex")
    removed.delete()
    return dict(zip(ROLES, (Client(), viewer, signed_in(edda), page, stranger, signed_in(rex)), strict=True))


@pytest.fixture
def addresses(stored, sent, tmp_path):
    write_log(tmp_path, "scheduling", name="stored")
    run = stored().experiment.runs.get()
    write_log(tmp_path, "scheduling", seed=1, name="kept")
    upload = sent()
    places = {
        "<int:upload_id>": f"{upload.pk}",
        r"^exports/runs\.(?P<form>jsonl|csv)$": "exports/runs.csv",
        r"^runs/(?P<run_id>\d{1,18})/run\.(?P<form>jsonl|csv|eval)$": f"runs/{run.pk}/run.eval",
    }
    found = {}
    for route in ROWS:
        address = route
        for hole, value in places.items():
            address = address.replace(hole, value)
        found[route] = f"/{address}"
    return found


@pytest.mark.django_db
def test_every_address_has_a_row():
    assert {str(url.pattern) for url in urlpatterns} == set(ROWS)


def test_everybody_gets_the_answer_of_the_table(clients, addresses):
    for route, expected in ROWS.items():
        for method, codes in zip(("get", "post"), expected, strict=True):
            given = []
            for role in ROLES:
                with transaction.atomic():
                    answer = getattr(clients[role], method)(addresses[route])
                    transaction.set_rollback(True)
                given.append(str(answer.status_code))
            assert " ".join(given) == codes, (route, method)


def test_the_exports_page_asks_the_database_the_same_however_many_runs_there_are(
    page, played, django_assert_num_queries
):
    played("random")
    with django_assert_num_queries(7):
        page.get("/exports/")
    played("random", "pricing-constant", seeds=(0, 1, 2, 3))
    with django_assert_num_queries(7):
        page.get("/exports/")
