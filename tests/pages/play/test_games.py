"""People play every environment with the forms of the pages, and their runs are ordinary runs."""

from datetime import timedelta

import pytest
from django.utils import timezone

from pages.play.models import Draft
from runs.episodes.models import Episode, JournalEntry
from runs.models import Instance, Run
from tests.pages.play.conftest import DIFFICULTY, Person
from tests.runs.episodes.conftest import sent  # noqa: F401
from tests.runs.episodes.leaking import assert_keeps_its_secrets

SURVEY = "patience_vs_impatience"


@pytest.mark.long
@pytest.mark.parametrize("environment", DIFFICULTY)
def test_a_participant_plays_every_environment_to_its_end(study, link, prepared, environment, sent):  # noqa: F811
    """And nothing that is sent to them holds a hidden number."""
    person = Person(link(study(environment)))
    person.start()
    prepared()
    for period in range(3):
        person.open()
        assert f"Period {period}" in person.text(), person.text()
        for part in ("history/", "figure.json"):
            has_none = environment == SURVEY and part == "figure.json"
            assert person.client.get(person.address + part).status_code == (404 if has_none else 200)
        assert person.play(period, notes=f"noted in {period}").status_code == 200
    assert "Thank you" in person.text()
    run = Run.objects.get()
    assert (run.state, run.periods_played, run.agent.player_class) == ("finished", 3, "human")
    assert run.agent.name == f"Pilot {environment} (people)"
    notes = list(run.notes.values_list("period_index", "text"))
    assert notes == ([] if environment == SURVEY else [(i, f"noted in {i}") for i in range(3)])
    assert_keeps_its_secrets(Episode.objects.get(), sent)


@pytest.fixture
def person(study, link):
    """A person who has begun a game of pricing."""
    person = Person(link(study()))
    person.start()
    return person


@pytest.mark.long
def test_the_page_has_the_full_prompt_and_the_journal_records_what_it_displays(person):
    from environments.registry import ENVIRONMENTS
    from tests.pages.play.conftest import words_of

    person.open()
    game = ENVIRONMENTS["pricing"](Episode.objects.get().run.instance.as_problem())
    shown = person.text()
    for text in (game.system_prompt(), game.initial_prompt(), *(tool.description for tool in game.tools())):
        assert words_of(text) in shown
    called = JournalEntry.objects.values_list("period", "tool")
    assert list(called) == [
        (0, tool) for tool in ("get_previous_pricing_data", "get_product_ids", "get_attempt_number")
    ]
    person.open()
    assert JournalEntry.objects.count() == 3


@pytest.mark.long
def test_typed_values_are_kept_until_the_period_is_sent(person):
    assert "Saved" in person.send("draft/", period=0, a0="7.5", notes="half a thought").content.decode()
    person.open()
    assert 'value="7.5"' in person.html and ">half a thought</textarea>" in person.html
    assert not JournalEntry.objects.filter(tool="write_notes").exists()
    person.play(0, notes="half a thought", a0="7.5")
    assert 'value="7.5"' not in person.html and "half a thought" not in person.html.partition("Earlier notes")[0]
    assert "half a thought" in person.html.partition("Earlier notes")[2]
    assert "this period is over" in person.send("draft/", period=0, a0="9").content.decode()
    assert Draft.objects.get().values == {"a0": "7.5"}


@pytest.mark.long
def test_a_refused_action_is_explained_beside_the_field_and_writes_no_notes(person):
    person.play(0, notes="kept", a0="-3")
    assert "A price is at least 0." in person.text() and ">kept</textarea>" in person.html
    assert 'value="-3"' in person.html
    person.play(0, notes="x" * 20_001, a0="3")
    assert "at most 20,000 characters" in person.text()
    assert not JournalEntry.objects.filter(period=0, tool__in=("write_notes", "set_prices")).exists()
    person.play(0, notes="kept", a0="3")
    assert list(Run.objects.get().notes.values_list("text", flat=True)) == ["kept"]


@pytest.mark.parametrize(("typed", "taken"), [("１２５", 125), ("1e2", 100), ("1,250", None), ("1 250", None)])
def test_a_number_is_accepted_as_typed_or_refused(person, typed, taken):
    assert person.play(0, a0=typed).status_code == (200 if taken else 422)
    actions = [entry.arguments for entry in JournalEntry.objects.filter(tool="set_prices")]
    assert [arguments["prices_dict_str"] for arguments in actions] == ([{"Product_1": taken}] if taken else [])


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("environment", "values", "told"),
    [
        ("scheduling", {f"a{place}": "T1" for place in range(10)}, "W2 and W3 and W4"),
        ("scheduling", {}, "Choose a task."),
        ("procurement", {"notes": ""}, "The plan is empty. Give a quantity, or a 0 to buy nothing."),
        ("procurement", {"a0": "1.5"}, "A quantity is a whole number."),
        ("procurement", {"a0": "9" * 12}, "The quantity of Offer_1 must be at most 1,000,000,000."),
        (SURVEY, {"a0": "A"}, "Choose A or B."),
    ],
)
def test_invalid_forms_are_refused_with_sentences(study, link, prepared, environment, values, told):
    person = Person(link(study(environment, practice=0)))
    person.start()
    prepared()
    assert person.send("periods/0/", **values or {"notes": ""}).status_code == 422
    assert told in person.text()


@pytest.mark.long
def test_a_form_from_an_old_window_changes_nothing(person):
    person.play(0, a0="4")
    old = Person(person.address)
    old.play(0, a0="5")
    assert "Period 0 was played with another action. What you sent changed nothing." in old.text()
    assert Run.objects.get().periods_played == 1


@pytest.mark.sampled
@pytest.mark.parametrize("price", ["4", "5"])
def test_notes_from_an_old_window_move_to_the_current_period(person, price):
    """Whether the action was the same or another one."""
    person.play(0, notes="first window", a0="4")
    old = Person(person.address)
    old.play(0, notes="second window", a0=price)
    assert (
        "Your notes stand in the pad of the current period." in old.text() and ">second window</textarea>" in old.html
    )
    old.play(0, notes="third window", a0=price)
    assert ">second window</textarea>" in old.html and "third window" not in old.html
    old.play(1, notes="second window", a0="4")
    assert list(Run.objects.get().notes.values_list("text", flat=True)) == ["first window", "second window"]


@pytest.mark.long
def test_a_form_sent_twice_plays_a_single_period_without_a_message(person):
    for _ in range(2):
        person.play(0, notes="same", a0="4")
        assert "Period 1" in person.text() and "was sent before" not in person.text()
    assert Run.objects.get().periods_played == 1
    assert list(Run.objects.get().notes.values_list("text", flat=True)) == ["same"]


@pytest.mark.long
def test_a_form_for_a_period_beyond_the_last_changes_nothing(page):
    game = {"game": "pricing/BASIC", "seed": 0, "variant": "main", "periods": 2}
    member = Person(page.post("/play/", game).headers["Location"], page)
    # As those of a game that was played as long as the papers play it.
    instance = Instance.objects.get()
    instance.parameters["price_ceilings"] = instance.parameters["price_ceilings"][:2]
    instance.save()
    for period in (0, 1, 3, 2):
        assert member.play(period, a0="4").status_code == 200
        assert period < 2 or "The episode is finished. What you sent changed nothing." in member.text()
    assert Run.objects.get().periods_played == 2


@pytest.mark.long
def test_an_open_page_polls_whether_its_time_ran_out(person):
    asked = lambda: person.client.get(f"{person.address}?playing", headers={"HX-Request": "true"})  # noqa: E731
    assert asked().status_code == 204
    person.open()
    assert f'hx-get="{person.address}?playing"' in person.html
    Episode.objects.update(period_due_at=timezone.now() - timedelta(seconds=1))
    assert asked().headers["HX-Refresh"] == "true"


@pytest.mark.long
def test_a_game_expires_while_the_browser_is_closed(person):
    Episode.objects.update(period_due_at=timezone.now() - timedelta(seconds=1))
    asked = person.client.post(f"{person.address}draft/", {"period": 0, "a0": "4"})
    assert asked.headers["HX-Refresh"] == "true"
    person.play(0, a0="4")
    assert "Its time ran out." in person.text() and "The episode ended: its time ran out." in person.text()
    assert person.client.get(f"{person.address}figure.json").status_code == 404


@pytest.mark.long
def test_giving_up_ends_the_game_without_score_and_completion_code(study, link):
    person = Person(link(study(completion_code="DONE42", completion_url="https://example.org/?cc=DONE42")))
    person.start()
    person.send("resign/")
    assert "You gave it up." in person.text() and "DONE42" not in person.html
    assert Run.objects.get().score is None


@pytest.mark.long
def test_past_periods_appear_in_a_short_table_and_on_a_full_page(study, link):
    person = Person(link(study(periods=9)))
    person.start()
    for period in range(7):
        person.play(period, a0=str(period + 2))
    table = person.html.partition('id="past-title"')[2]
    assert "All 7 periods" in table and ">6</th>" in table and ">1</th>" not in table
    person.open("history/")
    assert all(f">{period}</th>" in person.html for period in range(7))
    drawn = person.client.get(f"{person.address}figure.json").json()
    assert drawn["data"][0]["y"] == [2, 3, 4, 5, 6, 7, 8]
    assert "optim" not in str(drawn)


@pytest.mark.long
def test_only_the_same_member_can_continue_a_game_on_another_device(page, alice, join):
    from tests.visitors import signed_in

    game = {"game": "pricing/BASIC", "seed": 0, "variant": "main", "periods": 3}
    member = Person(page.post("/play/", game).headers["Location"], page)
    member.open()
    member.play(0, a0="4")
    member.send("draft/", period=1, a0="4.75", notes="half a thought")
    elsewhere = Person(member.address, signed_in(alice))
    elsewhere.open()
    assert "Period 1" in elsewhere.text() and 'value="4.75"' in elsewhere.html and "half a thought" in elsewhere.html
    assert "Pricing BASIC, seed 0" in page.get("/play/").content.decode()
    colleague = Person(member.address, signed_in(join("bob", "owner").user))
    for part in ("", "history/", "figure.json"):
        assert colleague.client.get(member.address + part).status_code == 404
    for part in ("periods/1/", "draft/", "resign/"):
        assert colleague.send(part, period=1, a0="9").status_code == 404
    assert "half a thought" not in colleague.client.get("/play/").content.decode()


def test_people_without_latin_letters_in_their_names_can_play(page, alice):
    alice.first_name, alice.last_name = "伟", "王"
    alice.save()
    game = {"game": "pricing/BASIC", "seed": 0, "variant": "main", "periods": 3}
    assert page.post("/play/", game).status_code == 302
    assert Run.objects.get().agent.name == alice.shown_name


@pytest.mark.long
def test_studies_without_latin_letters_in_their_names_get_separate_agents(study, link):
    for name in ("实验甲", "实验乙"):
        Person(link(study(name=name, practice=0))).start()
    first, second = Run.objects.order_by("pk")
    assert (first.agent.name, second.agent.name) == ("实验甲 (people)", "实验乙 (people)")
    assert first.experiment_id != second.experiment_id
