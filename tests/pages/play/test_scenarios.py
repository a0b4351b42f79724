"""Scenarios of outside agents played with page forms leave the journal of a plain game by REST."""

import pytest

from tests.api.conftest import program  # noqa: F401
from tests.pages.play.players import PersonPlayer, expected
from tests.runs.episodes.conftest import opened, opener  # noqa: F401
from tests.runs.episodes.journals import assert_leaves_the_journal_of_a_plain_play
from tests.runs.episodes.scenarios import PARAMETERS


@pytest.mark.sampled
@pytest.mark.parametrize("scenario", PARAMETERS)
def test_browser_mistakes_leave_the_same_journal_as_a_plain_game(opened, scenario):  # noqa: F811
    assert_leaves_the_journal_of_a_plain_play(opened, scenario, PersonPlayer, accepted=expected)
