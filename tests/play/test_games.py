"""People play every environment by the forms of the pages, and their runs are like any other."""

import pytest

from runs.models import Run
from tests.play.conftest import DIFFICULTY, Person


@pytest.mark.parametrize("environment", DIFFICULTY)
def test_a_participant_plays_every_environment_to_its_end(study, link, prepared, environment):
    person = Person(link(study(environment)))
    person.start()
    prepared()
    for period in range(3):
        person.open()
        assert f"Period {period}" in person.text(), person.text()
        answer = person.play(period, notes=f"noted in {period}")
        assert answer.status_code == 200
    assert "Thank you" in person.text()
    run = Run.objects.get()
    assert (run.state, run.periods_played, run.agent.player_class) == ("finished", 3, "human")
    assert run.agent.name == f"Pilot {environment} (people)"
    notes = list(run.notes.values_list("period_index", "text"))
    assert notes == ([] if environment == "patience_vs_impatience" else [(i, f"noted in {i}") for i in range(3)])
