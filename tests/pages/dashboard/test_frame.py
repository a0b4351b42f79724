"""Home, signing in, error pages, permissions, and properties of every page."""

import re

import pytest
from django.test import Client, RequestFactory

from accounts.models import User
from accounts.views.errors import server_error
from tests.layout import check_markup
from tests.visitors import signed_in


def test_a_person_signs_in_and_out(client, alice):
    wrong = client.post("/login/", {"username": "alice", "password": "wrong"})
    assert "do not match" in wrong.text
    assert client.post("/login/", {"username": "alice", "password": "correct horse battery"})["Location"] == "/"
    assert client.post("/logout/")["Location"] == "/login/"


def test_first_steps_are_visible_until_the_person_dismisses_them(page, painted, join):
    text = page.get("/").text
    assert "First steps" in text and "/experiments/new/" in text and "Open a finished run" not in text
    experiment = painted("random", states=("finished",))
    run = experiment.runs.get()
    text = page.get("/").text
    assert f'href="/runs/{run.pk}/">Open a finished run' in text and experiment.name in text
    assert page.post("/first-steps/dismiss/")["Location"] == "/"
    assert (
        "First steps" not in page.get("/").text and "First steps" in signed_in(join("bob", "viewer").user).get("/").text
    )


def test_log_in_and_home_describe_the_site(client, page):
    for text in (client.get("/login/").text, page.get("/").text):
        assert "AI agents play economic games" in text


def test_home_polls_only_while_something_runs(page, painted):
    painted("random", states=("finished",))
    assert "data-poll" not in page.get("/").text
    painted("random", states=("running",))
    assert "data-poll" in page.get("/").text


def test_missing_pages_and_server_errors_have_plain_pages(page, django_assert_num_queries):
    missing = page.get("/runs/123456/")
    with django_assert_num_queries(0):
        fault = server_error(RequestFactory().get("/"))
    assert missing.status_code == 404 and "There is no such page" in missing.text
    assert fault.status_code == 500 and "a mistake of ours" in fault.text


@pytest.mark.long
def test_no_page_has_inline_scripts_styles_or_handlers_or_repeated_ids(page, painted, played):
    run = played("random").runs.get()
    painted("random", "optimum", seeds=(0, 1, 2, 3))
    own = [f"/experiments/{number}/" for number in run.organization.experiments.values_list("pk", flat=True)]
    own += [f"{own[0]}ledger/", f"/runs/{run.pk}/"]
    for address in ("/", "/experiments/", "/agents/", "/experiments/new/", "/spend/", "/ledger/", *own):
        response = page.get(address)
        check_markup(response.text)
        assert "default-src 'self'" in response["Content-Security-Policy"]


def test_a_person_without_an_organization_gets_an_explanation_and_can_log_out(client, db):
    client.force_login(User.objects.create_user("nomad", "nomad@example.org", "correct horse battery"))
    response = client.get("/")
    assert response.status_code == 403
    assert "not a member of any organization" in response.text
    assert 'action="/logout/"' in response.text


@pytest.fixture
def ids(played):
    experiment = played("random")
    return {"experiment": experiment.pk, "run": experiment.runs.get().pk}


def test_a_query_with_a_foreign_row_gives_404(stranger, ids):
    """`tests/security/test_url_matrix.py` asks all addresses without a query, also of viewers and visitors."""
    for address in (
        "/experiments/{experiment}/ledger/?run={run}",
        "/ledger/?run={run}",
        "/experiments/new/?from={experiment}",
    ):
        assert stranger.get(address.format(**ids)).status_code == 404, address


@pytest.mark.long
def test_a_viewer_sees_only_star_and_comment_buttons_and_an_explanation(viewer, ids):
    assert "not change it" in viewer.post("/experiments/new/").text
    for address in ("/", "/agents/", f"/experiments/{ids['experiment']}/", f"/runs/{ids['run']}/"):
        text = viewer.get(address).text
        assert 'method="post" action="/experiments' not in text
        assert not re.search(r'method="post" action="/runs/(?!selected/"|\d+/(periods/\d+/)?(star|comments)/")', text)
        assert "/tags/remove/" not in text and "Add a tag" not in text and "/experiments/new/" not in text
        assert "Test connection" not in text


def test_changes_need_a_csrf_token(alice, ids):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)
    response = strict.post(f"/experiments/{ids['experiment']}/delete/")
    assert response.status_code == 403
    assert "has expired" in response.text
    assert strict.get(f"/experiments/{ids['experiment']}/").status_code == 200


EMPTY_PAGES = (
    "/", "/experiments/", "/runs/", "/leaderboard/", "/leaderboard/?rows=own", "/litmus/", "/compare/", "/compare/litmus/",
    "/trends/", "/behaviour/", "/notes/", "/instances/", "/agents/", "/agents/random/", "/prompts/", "/play/", "/findings/",
    "/instances/designs/", "/leaderboards/", "/exports/",
)  # fmt: skip


@pytest.mark.sampled
@pytest.mark.parametrize("address", EMPTY_PAGES)
def test_no_page_links_a_viewer_to_pages_of_editors(viewer, address):
    answer = viewer.get(address)
    main = answer.text.partition("<main")[2].partition("</main>")[0]
    assert answer.status_code == 200
    for link in set(re.findall(r'<a [^>]*href="(/[^"#?]*)', main)):
        assert viewer.get(link, follow=True).status_code != 403, link
    assert "Add the key" not in main and not re.search(r"\b[Ll]aunch (an experiment|one with|a litmus)", main), main


def test_an_unknown_address_is_not_reported_as_deleted(page):
    assert "deleted" not in page.get("/experimets/").text and "typing error" in page.get("/experimets/").text
    assert "It was deleted" in page.get("/runs/999999/").text
