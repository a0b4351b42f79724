"""The table of games has every environment, with all parts that a game may have."""

import pytest

from environments.registry import ENVIRONMENTS
from games.parts import GameParts
from games.quality import quality_figure, quality_overlay
from games.registry import DEFAULT_PARTS, GAMES, parts_of


def test_every_environment_is_a_game_and_an_unknown_one_has_the_default_parts():
    assert set(GAMES) == set(ENVIRONMENTS)
    assert (
        parts_of("poker") is DEFAULT_PARTS == GameParts(presenter=DEFAULT_PARTS.presenter, screen=DEFAULT_PARTS.screen)
    )


@pytest.mark.parametrize("environment", GAMES)
def test_every_game_has_figures_sections_and_a_form_of_its_own(environment):
    parts = GAMES[environment]
    assert parts.figure is not quality_figure and parts.overlay is not quality_overlay and parts.instance_figure
    assert type(parts.presenter) is not type(DEFAULT_PARTS.presenter)
    assert type(parts.screen) is not type(DEFAULT_PARTS.screen) and parts.screen.form is not DEFAULT_PARTS.screen.form
