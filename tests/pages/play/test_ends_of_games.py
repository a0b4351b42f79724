"""The end of a person's game: the path against the optimum, the place with its n, the history, and the payoff."""

from decimal import Decimal

import pytest

from pages.play.endings import history_of, standing_of
from pages.play.models import Study
from runs.episodes.models import Episode
from runs.models import Agent, Run, RunState
from tests.pages.play.conftest import Person
from tests.runs.episodes.conftest import prepare_episodes


@pytest.fixture
def finished(page, alice, organization):
    """Play a game of two periods to its end; return its episode."""

    def play(price="6", seed="0", environment="pricing/BASIC"):
        page.post("/play/", {"game": environment, "seed": seed, "variant": "main", "periods": "2"})
        episode = Episode.objects.first()
        prepare_episodes()
        person = Person(f"/play/{episode.pk}/", page)
        for period in range(2):
            person.open()
            person.play(period, a0=price)
        return Episode.objects.get(pk=episode.pk)

    return play


def others_run(organization, like, score, agent, **changes):
    """A finished run of another agent under the same conditions."""
    same = ("experiment", "instance", "variant", "periods", "prompt_version", "config")
    values = {name: getattr(like, name) for name in same} | changes
    return Run.objects.create(organization=organization, agent=agent, state=RunState.FINISHED, score=score, **values)


def agent_of(organization, name, **values):
    return Agent.objects.create(organization=organization, name=name, slug=name, **values)


def test_the_end_shows_the_path_against_the_optimum(finished, page):
    episode = finished()
    html = page.get(f"/play/{episode.pk}/").content.decode()
    assert "Your path and the optimum" in html and f'data-figure="/play/{episode.pk}/figure.json"' in html
    names = [trace.get("name") for trace in page.get(f"/play/{episode.pk}/figure.json").json()["data"]]
    assert "profit-maximising" in names


def test_the_place_counts_models_by_their_means_and_people_by_their_games(finished, organization, page):
    episode = finished()
    run = episode.run
    strong, weak = agent_of(organization, "strong"), agent_of(organization, "weak")
    person = agent_of(organization, "bob", player_class="human")
    for score, agent in (
        (run.score + 1, strong),
        (run.score - 9, strong),
        (run.score - 1, weak),
        (run.score + 1, person),
    ):
        others_run(organization, run, score, agent)
    others_run(organization, run, run.score + 1, agent_of(organization, "rule", baseline="random"))
    standing = standing_of(episode)
    assert standing.is_same_instance
    assert [(place.number, place.of, place.who) for place in standing.places] == [
        (1, 3, "models"),
        (2, 2, "games of people"),
    ]
    text = " ".join(page.get(f"/play/{episode.pk}/").content.decode().split())
    assert "<strong>1 of 3</strong> among models" in text and "On the same instance" in text


def test_few_games_of_the_instance_widen_the_comparison_to_the_difficulty(finished, organization):
    episode, elsewhere = finished(), finished(seed="1")
    model = agent_of(organization, "strong")
    others_run(organization, episode.run, elsewhere.run.score, model, instance=elsewhere.run.instance)
    standing = standing_of(episode)
    assert not standing.is_same_instance
    assert [(place.of, place.who) for place in standing.places] == [(2, "models")]


@pytest.mark.parametrize("change", [{"periods": 9}, {"variant": "other"}])
def test_games_under_other_conditions_are_no_part_of_the_place(finished, organization, change):
    episode = finished()
    others_run(organization, episode.run, 1.0, agent_of(organization, "strong"), **change)
    assert standing_of(episode) is None


def test_the_history_shows_earlier_games_and_the_change(finished, page):
    first, second = finished("6"), finished("12")
    games = history_of(second)
    assert [(game.episode_id, game.is_this) for game in games] == [(first.pk, False), (second.pk, True)]
    difference = (second.run.score - first.run.score) * 100
    assert games[0].change == "" and games[1].change == f"{difference:+.1f}".replace("-", "−")
    assert [game.episode_id for game in history_of(first)] == [first.pk], "a later game is no history"
    assert "Your games of this kind" in page.get(f"/play/{second.pk}/").content.decode()


def test_a_game_of_an_open_season_shows_nothing_of_its_result(page, organization):
    from tests.cast import open_season

    season = open_season(instances=1)
    page.post(f"/seasons/{season.slug}/enter/")
    Run.objects.update(periods=1)
    prepare_episodes()
    episode = Episode.objects.get()
    person = Person(f"/play/{episode.pk}/", page)
    person.open()
    person.play(0, a0="6")
    person.open()
    assert "The game is finished" in person.text()
    assert "optimum" not in person.text() and "Your place" not in person.text()
    assert page.get(f"/play/{episode.pk}/figure.json").status_code == 404


@pytest.mark.parametrize("shown", [False, True])
def test_a_study_shows_the_result_only_if_its_owner_chose_it(study, link, organization, shown):
    person = Person(link(study(periods=1, practice=0, **({"shows_result": True} if shown else {}))))
    person.start()
    person.play(0, a0="6")
    person.open()
    assert "Thank you" in person.text()
    assert ("Your path and the optimum" in person.text()) is shown
    assert person.client.get(person.address + "figure.json").status_code == (200 if shown else 404)


def test_the_owner_of_a_study_chooses_whether_results_are_shown(page):
    page.post("/studies/new/", {
        "name": "Open results", "title": "A study", "game": "pricing/BASIC", "variant": "main", "seeds": "0",
        "practice": "0", "consent": "Yes.", "fee": "0", "rate": "0", "currency": "USD", "most_participants": "5",
        "shows_result": "on",
    })  # fmt: skip
    assert Study.objects.get().shows_result


def test_the_payoff_says_how_it_comes_about(study, link):
    person = Person(
        link(study(periods=1, practice=0, fee=Decimal("2.50"), rate=Decimal("0.1"), currency="EUR", shows_payoff=True))
    )
    person.start()
    person.play(0, a0="6")
    Run.objects.update(score=0.634)
    person.open()
    text = person.text()
    for part in ("For the finished game 2.50 EUR", "63.40 points of 100", "0.1 EUR a point", "6.34 EUR", "8.84 EUR"):
        assert part in text, text
