"""Practice: an outside agent plays a public instance, and its run is an ordinary run."""

from datetime import timedelta

import pytest
from django.utils import timezone

from environments.registry import ENVIRONMENTS
from runs.episodes.models import Episode, JournalEntry
from runs.episodes.services.ending import episodes_expire
from runs.episodes.services.preparing import episode_prepare
from runs.episodes.tasks import prepare
from runs.models import Run
from runs.services.deletions import experiment_delete, experiment_undelete
from runs.services.designs import design_create
from runs.transcripts import period_transcripts
from tests.api.conftest import fields
from tests.prompts import prompt_of
from tests.runs.episodes.conftest import HARNESS, PLAYERS, RestSeat, play_period, problem


@pytest.mark.sampled
@pytest.mark.parametrize("environment", PLAYERS)
def test_an_outside_agent_plays_every_environment_to_a_score(opened, environment):
    answer = opened(environment)
    episode = Episode.objects.get(pk=answer["id"])
    if episode.prepared_at is None:
        assert RestSeat(answer["token"]).begin(0).json()["error"]["code"] == "preparing"
        episode_prepare(episode=episode)
    seats = {name: RestSeat(token) for name, token in answer["seats"].items()}
    assert tuple(seats) == ENVIRONMENTS[environment].seats_of("main")
    for period in range(3):
        receipts = [
            play_period(seat, environment, problem(answer), period, name).json() for name, seat in seats.items()
        ]
    assert receipts[-1]["done"]
    run = Run.objects.get(pk=answer["run"])
    assert (run.state, run.periods_played, run.agent.player_class) == ("finished", 3, "outside")
    assert run.score is not None or environment == "patience_vs_impatience"
    assert [row.index for row in run.period_rows.all()] == [0, 1, 2]
    transcript = period_transcripts(run, 2)["seat_0"]
    assert transcript.exchanges
    assert not any("differ from" in call.result for one in transcript.exchanges for call in one.calls)


@pytest.mark.long
def test_a_game_of_a_deleted_experiment_is_refused_until_the_undo(opened, opener):
    answer = opened("pricing")
    run, seat = Run.objects.get(pk=answer["run"]), RestSeat(answer["token"])
    play_period(seat, "pricing", problem(answer), 0)
    experiment_delete(experiment=run.experiment)
    assert seat.begin(1).status_code == 401
    assert opener.get(f"/episodes/{answer['id']}").json()["run"] is None
    again = opened("pricing")
    assert Run.objects.get().pk == again["run"], "practice goes on in an experiment of its own"
    experiment_undelete(experiment=run.experiment)
    for period in (1, 2):
        play_period(seat, "pricing", problem(answer), period)
    assert Run.objects.get(pk=run.pk).state == "finished"


@pytest.mark.long
def test_an_outside_baseline_scores_the_same_as_on_the_site(opened, played):
    answer = opened("pricing", seed=4, periods=5)
    for period in range(5):
        play_period(RestSeat(answer["token"]), "pricing", problem(answer), period)
    site = played("pricing-local-search", seeds=(4,), periods=5).runs.get()
    outside = Run.objects.get(pk=answer["run"])
    assert (outside.score, outside.all_metrics) == (site.score, site.all_metrics)
    assert outside.instance_id == site.instance_id


@pytest.mark.long
def test_an_outside_agent_plays_a_design_with_an_own_prompt(opened, organization):
    settings = {"products": 3, "nests": 1}
    design = design_create(organization=organization, user=None, environment="pricing", name="Three", settings=settings)
    prompt = prompt_of(organization, reply="Go on.")
    answer = opened(difficulty=design.difficulty, variant=prompt.variant)
    seat = RestSeat(answer["token"])
    for period in range(3):
        assert seat.begin(period).json()["reply_prompt"] == "Go on."
        play_period(seat, "pricing", problem(answer), period)
    run = Run.objects.get(pk=answer["run"])
    assert (run.state, run.variant, run.instance.difficulty) == ("finished", prompt.variant, "CUSTOM+THREE")
    assert run.score is not None and len(problem(answer).parameters["products"]) == 3


@pytest.mark.long
def test_calls_are_counted_and_repeated_calls_get_full_answers(opened):
    seat = RestSeat(opened()["token"])
    first = seat.call(0, "get_product_ids").json()
    again = seat.call(0, "get_product_ids").json()
    assert first == again == {"text": "['Product_1']", "data": None, "is_error": False, "calls_left": 39}
    for number in range(39):
        left = seat.call(0, "write_notes", notes=f"note {number}").json()["calls_left"]
    assert left == 0
    refused = seat.call(0, "write_notes", notes="one too many").json()
    assert refused["is_error"] and "only the action is left" in refused["text"]
    assert seat.call(0, "get_product_ids").json() == first | {"calls_left": 0}
    assert seat.act(0, {"Product_1": 5}).status_code == 200
    assert JournalEntry.objects.count() == 41


def test_an_action_sent_repeatedly_counts_once(opened):
    answer = opened()
    seat = RestSeat(answer["token"])
    first = seat.act(0, {"Product_1": 5})
    again = seat.act(0, '{"Product_1": 5.0}')
    assert (first.json(), again.headers["Idempotency-Replayed"]) == (again.json(), "true")
    assert "Idempotency-Replayed" not in first.headers
    other = seat.act(0, {"Product_1": 6})
    ahead = seat.act(2, {"Product_1": 6})
    wrong = seat.act(1, {"Product_1": -1})
    codes = [(one.status_code, one.json()["error"]["code"]) for one in (other, ahead, wrong)]
    assert codes == [(409, "already_played"), (409, "not_yet"), (422, "invalid_action")]
    assert Run.objects.get(pk=answer["run"]).periods_played == 1


@pytest.mark.long
def test_a_history_can_begin_at_any_period_and_includes_data(opened):
    answer = opened()
    seat = RestSeat(answer["token"])
    for period, price in enumerate((4.0, 5.0)):
        seat.act(period, {"Product_1": price})
    whole = seat.call(2, "get_previous_pricing_data").json()
    part = seat.call(2, "get_previous_pricing_data", from_period=1).json()
    assert [one["period"] for one in whole["data"]["periods"]] == [0, 1]
    assert part["data"]["periods"] == whole["data"]["periods"][1:]
    assert whole["text"].endswith(part["text"]) and "Attempt 0" not in part["text"]
    assert seat.call(2, "get_previous_pricing_data", from_period=9).json()["is_error"]
    seat.act(2, {"Product_1": 6})
    calls = period_transcripts(Run.objects.get(pk=answer["run"]), 2)["seat_0"].exchanges
    assert [one.calls[0].result for one in calls] == [whole["text"], part["text"], "Accepted."]


def test_notes_are_kept_with_the_run(opened):
    answer = opened()
    seat = RestSeat(answer["token"])
    seat.call(0, "write_notes", notes="Start low.")
    seat.act(0, {"Product_1": 4})
    seat.call(1, "write_notes", notes="Then higher.")
    assert seat.call(1, "read_notes", attempt_number=0).json()["text"] == "Start low."
    seat.act(1, {"Product_1": 5})
    notes = Run.objects.get(pk=answer["run"]).notes.values_list("period_index", "text")
    assert list(notes) == [(0, "Start low."), (1, "Then higher.")]


@pytest.mark.long
def test_resigning_ends_the_episode_without_a_score(opened):
    answer = opened()
    seat = RestSeat(answer["token"])
    seat.act(0, {"Product_1": 4})
    assert seat.resign().json()["state"] == seat.resign().json()["state"] == "resigned"
    assert seat.act(1, {"Product_1": 4}).json()["error"]["code"] == "ended"
    run = Run.objects.get(pk=answer["run"])
    assert (run.state, run.score, run.reason) == ("cancelled", None, "The player resigned in period 1.")


def test_the_time_limit_of_the_first_period_starts_when_the_instance_is_ready(opened):
    answer = opened()
    seat = RestSeat(answer["token"])
    Episode.objects.update(prepared_at=None, period_due_at=timezone.now() - timedelta(hours=1))
    assert (seat.status()["state"], seat.begin(0).json()["error"]["code"]) == ("preparing", "preparing")
    episodes_expire()
    prepare()
    left = Episode.objects.get().period_due_at - timezone.now()
    assert timedelta(minutes=29) < left <= timedelta(minutes=30)
    assert seat.act(0, {"Product_1": 5}).status_code == 200


@pytest.mark.long
def test_harnesses_without_latin_letters_get_separate_agents(opened, opener, page):
    names = ("Агент 1", "模型 1", "模型", "Агент 1")
    runs = [Run.objects.get(pk=opened(harness=HARNESS | {"name": name})["run"]) for name in names]
    assert [run.agent.name for run in runs] == ["Агент 1 1", "模型 1 1", "模型 1", "Агент 1 1"]
    assert len({run.agent_id for run in runs}) == len({run.experiment_id for run in runs}) == 3
    assert {page.get(f"/agents/{run.agent.slug}/").status_code for run in runs} == {200}
    for place in ("history", "figures/scores", "figures/litmus"):
        assert opener.get(f"/agents/{runs[0].agent.slug}/{place}").status_code == 200


def test_a_harness_gets_a_free_slug(opened, agent):
    model = agent("gpt-5")
    model.slug = "outside-foo"
    model.save()
    foo = {"harness": {"kind": "rest", "name": "foo"}}
    first, again = (Run.objects.get(pk=opened(**foo)["run"]).agent for _ in range(2))
    assert first == again != model and (first.name, first.player_class) == ("foo", "outside")


def test_a_baseline_of_another_game_is_refused_as_rival(opener):
    game = {"environment": "collusiveness_vs_competitiveness", "difficulty": "STANDARD", "harness": HARNESS}
    refused = opener.post("/episodes", game | {"rival": "scheduling-knuth"})
    assert list(fields(refused)) == ["rival"] and not Episode.objects.exists()


def test_the_journal_of_a_market_shows_an_open_period_only_to_its_seat(opened, opener):
    """Who opened it may play the other seat."""
    answer = opened("collusiveness_vs_competitiveness")
    first, second = (RestSeat(answer["seats"][name]) for name in ("seat_0", "seat_1"))

    def periods():
        journal = opener.get(f"/episodes/{answer['id']}/journal", seat="seat_0").json()["items"]
        return [entry["period"] for entry in journal if entry["is_action"]]

    first.act(0, {"Product_1": 7})
    assert periods() == []
    second.act(0, {"Product_1": 8})
    first.act(1, {"Product_1": 7})
    assert periods() == [0]
    second.resign()
    assert periods() == [0, 1]
