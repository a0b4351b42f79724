"""Faults between player and site leave the journal of a plain game by REST, for every interface."""

import pytest

from tests.runs.episodes.journals import assert_leaves_the_journal_of_a_plain_play
from tests.runs.episodes.players import FORMS
from tests.runs.episodes.scenarios import PARAMETERS


@pytest.mark.sampled
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("scenario", PARAMETERS)
def test_faults_on_the_way_leave_the_journal_of_a_plain_game(opened, scenario, form):
    assert_leaves_the_journal_of_a_plain_play(opened, scenario, FORMS[form])


@pytest.mark.sampled
@pytest.mark.parametrize("form", FORMS)
def test_a_period_before_the_first_is_refused_with_a_sentence(opened, form):
    player = FORMS[form](opened()["token"])
    refused = player.act(-1, {"Product_1": 5})
    assert not refused.ok and refused.text.endswith(".") and "unexpectedly" not in refused.text
    assert player.status() == ("open", 0)
