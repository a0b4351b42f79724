"""On PostgreSQL a seat that acts does not deadlock with a person who ends its game at the same moment."""

import pytest

from infrastructure.transactions import lock_row
from pages.play.models import Participant, Study
from pages.play.services.participants import participant_revoke
from runs.episodes.models import Episode, Seat
from runs.episodes.services.playing import seat_act
from runs.models import Run
from runs.services.control import runs_control
from tests.crossing import crossing

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def seat(opened):
    return Seat.objects.select_related("episode__run").get(episode=opened()["id"])


def test_a_run_is_cancelled_while_its_seat_acts(seat, alice):
    run = seat.episode.run
    crossing(
        lambda: lock_row(Episode, seat.episode_id),
        lambda: runs_control(runs=Run.objects.filter(pk=run.pk), action="cancel", user=alice),
        lambda: seat_act(seat=seat, period=0, action={"Product_1": 20.0}),
    )
    assert Run.objects.get().state == "cancelled"
    assert Episode.objects.get().ending == "withdrawn"


def test_a_participant_is_revoked_while_the_other_player_ends_the_game(seat, owner):
    study = Study.objects.create(organization=owner.organization, name="Pilot", seeds="0", periods=3)
    participant = Participant.objects.create(study=study, number=1, seat=seat, secret_hash="0" * 64)
    crossing(
        lambda: lock_row(Episode, seat.episode_id),
        lambda: participant_revoke(actor=owner, participant=participant),
        lambda: lock_row(Participant, participant.pk),
    )
    assert Run.objects.get().state == "cancelled"
