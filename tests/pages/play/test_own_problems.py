"""People play own prompts and designs, in games of members and in studies."""

import re

import pytest
from django.utils import timezone

from pages.play.models import Study
from runs.models import Run
from tests.pages.play.conftest import CONSENT, Person
from tests.prompts import prompt_of


@pytest.fixture
def own(organization, owner):
    """An own prompt and a design of pricing."""
    from runs.services.designs import design_create

    prompt = prompt_of(organization, system="Sell at good prices.")
    values = {"environment": "pricing", "name": "Two goods", "settings": {"products": 2, "nests": 1}}
    return prompt, design_create(organization=organization, user=owner.user, **values)


def offered(html, name):
    chosen = html.partition(f'<select name="{name}"')[2].partition("</select>")[0]
    return re.findall(r'<option value="([^"]*)"', chosen)


FORM = {
    "seeds": "0",
    "seed": "0",
    "periods": "2",
    "practice": "1",
    "consent": CONSENT,
    "title": "A study",
    "name": "Own",
}
FORM |= {"fee": "0", "rate": "0", "currency": "USD", "most_participants": "5"}


def test_both_forms_list_own_prompts_and_designs_by_name(own, page):
    prompt, design = own
    for address in ("/play/", "/studies/new/"):
        html = page.get(address).content.decode()
        assert f"pricing/{design.difficulty}" in offered(html, "game") and prompt.variant in offered(html, "variant")
        assert "Two goods, own design" in html and f"{prompt.name}, own prompt of pricing" in html


@pytest.mark.long
def test_a_member_plays_an_own_design_under_an_own_prompt(own, page):
    prompt, design = own
    sent = {"game": f"pricing/{design.difficulty}", "variant": prompt.variant} | FORM
    player = Person(page.post("/play/", sent).headers["Location"], page)
    player.open()
    assert "Sell at good prices." in player.text() and "Product_2" in player.text()
    for period in range(2):
        player.play(period)
    run = Run.objects.get()
    assert (run.state, run.variant, run.instance.difficulty) == ("finished", prompt.variant, design.difficulty)
    player.open()
    assert "The game is finished." in player.text()


@pytest.mark.long
def test_a_study_of_an_own_design_is_practised_and_played_under_an_own_prompt(own, page, link):
    prompt, design = own
    sent = {"game": f"pricing/{design.difficulty}", "variant": prompt.variant} | FORM
    assert page.post("/studies/new/", sent).status_code == 302
    study = Study.objects.get()
    person = Person(link(study))
    person.agree()
    assert "Sell at good prices." in person.text() and "Practice: Period 0 of 0–0" in person.text()
    person.start()
    for period in range(2):
        person.play(period)
    assert "Thank you" in person.text() and Run.objects.get().variant == prompt.variant
    html = page.get(f"/studies/{study.pk}/").content.decode()
    assert "Pricing Two goods" in html and "not the paper&#x27;s" in html
    again = page.get(f"/studies/new/?from={study.pk}").content.decode()
    assert f'<option value="pricing/{design.difficulty}" selected' in again
    assert f'<option value="{prompt.variant}" selected' in again


@pytest.mark.sampled
@pytest.mark.parametrize("what", ["prompt", "design"])
def test_an_archived_prompt_or_design_blocks_new_games_with_a_reason(own, page, link, what):
    prompt, design = own
    sent = {"game": f"pricing/{design.difficulty}", "variant": prompt.variant} | FORM | {"practice": "0"}
    page.post("/studies/new/", sent)
    study = Study.objects.get()
    person = Person(link(study))
    row = {"prompt": prompt, "design": design}[what]
    type(row).objects.filter(pk=row.pk).update(archived_at=timezone.now())
    person.start()
    assert "The game cannot begin now. Ask the person who invited you." in person.text()
    assert "archived" not in person.text() and not Run.objects.exists()
    html = page.get(f"/studies/{study.pk}/").content.decode()
    assert "No participant can begin now." in html and "archived" in html
    answer = page.post("/play/", sent)
    assert answer.status_code == 422
    again = page.get(f"/studies/new/?from={study.pk}").content.decode()
    assert f"pricing/{design.difficulty}" in offered(again, "game") and prompt.variant in offered(again, "variant")
    type(row).objects.filter(pk=row.pk).update(archived_at=None)
    person.start()
    assert "Period 0" in person.text()


@pytest.mark.long
def test_prompts_of_another_game_and_foreign_designs_are_refused(own, page, other):
    from runs.services.designs import design_create

    prompt, design = own
    answer = page.post("/play/", {"game": "scheduling/BASIC", "variant": prompt.variant} | FORM)
    assert answer.status_code == 422 and "have no variant" in answer.content.decode()
    values = {"environment": "pricing", "name": "Foreign", "settings": {"products": 3, "nests": 1}}
    foreign = design_create(organization=other.organization, user=other.user, **values)
    html = page.get("/play/").content.decode()
    assert foreign.difficulty not in html
    answer = page.post("/play/", {"game": f"pricing/{foreign.difficulty}", "variant": "main"} | FORM)
    assert answer.status_code == 422 and not Run.objects.exists()


@pytest.mark.long
def test_the_first_invalid_field_has_the_focus(study, page):
    made = study()
    wrong = {
        "/play/": ({"game": "pricing/BASIC", "variant": "main", "seed": "x", "periods": "999"}, "seed"),
        "/studies/new/": (FORM | {"game": "pricing/BASIC", "variant": "main", "periods": "999", "rate": "x"}, "rate"),
        f"/studies/{made.pk}/links/": ({"count": "1", "labels": "a\na"}, "labels"),
    }
    for address, (sent, name) in wrong.items():
        html = page.post(address, sent).content.decode()
        focused = re.findall(r"<(?:input|select|textarea)[^>]*autofocus[^>]*>", html)
        assert [re.search(r' name="(\w+)"', one)[1] for one in focused] == [name], address
    # What only the service finds has the focus too.
    html = page.post("/play/", {"game": "pricing/BASIC", "variant": "main", "seed": "0", "periods": "999"})
    assert "autofocus" in html.content.decode().partition('name="periods"')[2].partition(">")[0]
