"""The page of games: start, what is in play, and the history of members, people and outside agents."""

from datetime import timedelta

import pytest
from django.utils import timezone

from runs.episodes.models import Episode
from runs.episodes.services.ending import episodes_expire
from tests.api.conftest import owning, program  # noqa: F401
from tests.pages.play.conftest import Person
from tests.runs.episodes.conftest import HARNESS, prepare_episodes

GAME = {"game": "pricing/BASIC", "seed": "0", "variant": "main", "periods": "2"}


def rows(page, kind="own"):
    html = page.get("/play/", {"list": kind}).content.decode().partition('id="history"')[2]
    return html.count('<th scope="row">')


def test_games_of_people_and_outside_agents_have_lists_of_their_own(page, owning, stranger):  # noqa: F811
    page.post("/play/", GAME)
    owning.post(
        "/episodes", {"environment": "pricing", "difficulty": "BASIC", "seed": 0, "periods": 2, "harness": HARNESS}
    )
    assert [rows(page, kind) for kind in ("own", "people", "outside", "nonsense")] == [0, 1, 1, 0]
    assert [rows(stranger, kind) for kind in ("own", "people", "outside")] == [0, 0, 0]


def test_an_abandoned_game_ends_by_rule_and_keeps_its_periods(page):
    page.post("/play/", GAME)
    prepare_episodes()
    episode = Episode.objects.get()
    person = Person(f"/play/{episode.pk}/", page)
    person.open()
    person.play(0, a0="6")
    assert "Continue" in page.get("/play/").content.decode()
    Episode.objects.update(period_due_at=timezone.now() - timedelta(seconds=1))
    episodes_expire()
    html = page.get("/play/").content.decode()
    assert "Continue" not in html and "Time ran out" in html and "1 of 2" in html
    person.open()
    assert "ran out in period 1, so it ended by rule" in person.text()
    assert episode.run.period_rows.count() == 1


QUERIES = 11


@pytest.mark.parametrize("games", [1, 6])
def test_the_page_of_games_takes_as_many_queries_for_many_games(page, django_assert_num_queries, games):
    for _ in range(games):
        page.post("/play/", GAME)
    prepare_episodes()
    page.get("/play/")
    with django_assert_num_queries(QUERIES):
        page.get("/play/", {"list": "people"})


def test_studies_and_seasons_have_pages_of_their_own_with_one_primary_button(page, study):
    study()
    for address, primary in (("/studies/", 1), ("/seasons/", 0)):
        html = page.get(address).content.decode().partition("<main")[2]
        assert html.count("button primary") == primary
    assert "Pilot pricing" in page.get("/studies/").content.decode()
    assert "Pilot pricing" not in page.get("/play/").content.decode()
