"""The statements of docs/people.md are true: commands run, numbers match the code, names appear on the pages."""

import re
import shlex
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.utils import timezone

from pages.play.models import Participant
from pages.play.services.studies import SECRET_BYTES
from pages.play.views.doors import REQUESTS_A_MINUTE
from pages.play.views.visitors import LABELS
from runs.episodes.models import Season
from runs.episodes.services.ending import season_reveal
from runs.episodes.services.opening import LIMITS
from runs.models import PlayerClass
from tests.cast import open_season
from tests.data_folders import ROOT
from tests.pages.play.conftest import Person, words_of

GUIDE = (ROOT / "docs" / "people.md").read_text()
WORDS = words_of(GUIDE)
COMMANDS = re.findall(r"^bin/econevals (season .+)$", GUIDE, re.MULTILINE)
ON_PERIOD = ("Your task", "Your action", "Fill in my last action", "Notes", "What happened so far")


def test_the_commands_create_list_close_reveal_and_verify_a_season():
    assert len(COMMANDS) == 5
    printed = []
    for command in COMMANDS:
        # The season of the guide lies in the past one day.
        later = (timezone.now() + timedelta(days=30)).strftime("%Y-%m-%dT%H:%M")
        name, *arguments = shlex.split(re.sub(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}", later, command))
        out = StringIO()
        call_command(name, *arguments, stdout=out)
        printed.append(out.getvalue())
        if arguments[0] == "reveal":
            season_reveal(season=Season.objects.get())
    assert "Created" in printed[0] and "winter-2026" in printed[1] and "Closed" in printed[2]
    assert Season.objects.get().revealed_at


def test_numbers_in_the_guide_match_the_code():
    period, whole = LIMITS[PlayerClass.HUMAN]
    assert f"A period may take {period // timedelta(hours=1)} hours and a game {whole.days} days" in WORDS
    assert f"a secret of {8 * SECRET_BYTES} bits" in WORDS
    assert f"at most {REQUESTS_A_MINUTE} requests a minute" in WORDS
    assert all(f"`?{name}=…`" in WORDS for name in LABELS)


@pytest.mark.long
def test_names_in_the_guide_appear_on_the_page_of_a_period(study, link):
    person = Person(link(study()))
    person.start()
    person.play(0, notes="noted", a0="3")
    for name in ON_PERIOD:
        assert f"**{name}**" in GUIDE and name in person.text()
    assert "Ctrl Enter sends" in person.text()


def test_names_in_the_guide_appear_on_the_pages_of_members(study, link, page):
    started = study()
    link(started)
    season = open_season()
    shown = {
        "/play/": ("Games", "Begin"),
        "/studies/": ("New study",),
        "/seasons/": ("Seasons",),
        f"/studies/{started.pk}/": ("New link", "Revoke", "open link"),
        f"/seasons/{season.slug}/": ("Enter as a person",),
    }
    for address, names in shown.items():
        html = page.get(address).content.decode()
        for name in names:
            assert f"*{name}*" in GUIDE or f"*Play, {name}*" in GUIDE, name
            assert name in html, f"{name} at {address}"


@pytest.mark.long
def test_the_completion_address_in_the_guide_is_filled_with_the_label(study, link):
    (address,) = re.findall(r"`(https://survey\S+)`", GUIDE)
    person = Person(link(study(periods=1, completion_url=address), "5f3c"))
    person.start()
    person.play(0, a0="3")
    assert address.replace("{label}", "5f3c") in person.html
    assert Participant.objects.get().completion_address.endswith("id=5f3c")


@pytest.mark.long
@pytest.mark.parametrize("seeds", ["0", "0-2", ""])
def test_participants_get_the_instances_that_the_guide_describes(study, link, seeds):
    shared = study(seeds=seeds, practice=0)
    for _ in range(4):
        Person(link(shared)).start()
    played = list(Participant.objects.order_by("number").values_list("seat__episode__run__instance__seed", flat=True))
    assert played == {"0": [0] * 4, "0-2": [0, 1, 2, 0], "": [0, 1, 2, 3]}[seeds]
