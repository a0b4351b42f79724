"""What the addresses of play answer, by GET and by POST without a body, as in tests/accounts/matrix.py.

Somebody with a participant's link needs no account, so its addresses answer everybody alike. The game of a member is found
by the member alone.
"""

EVERYBODY, NOBODY = " ".join(["200"] * 6), " ".join(["405"] * 6)
SENT = " ".join(["302"] * 6)
OURS = "302 200 200 200 404 403"
READ_ONLY = "302 405 405 405 405 403"
EDITED = ("302 403 405 405 405 403", "302 403 302 302 404 403")
SHOWN = ("302 403 405 405 405 403", "302 403 200 200 404 403")
MINE, POSTED = "302 404 404 200 404 403", "302 405 405 405 405 403"

ROWS = {
    "play/": ("302 200 200 200 200 403", "302 403 422 422 422 403"),
    "play/<int:episode_id>/": (MINE, "302 404 404 405 404 403"),
    "play/<int:episode_id>/periods/<int:period>/": ("302 404 404 405 404 403", "302 404 404 422 404 403"),
    "play/<int:episode_id>/draft/": ("302 404 404 405 404 403", MINE),
    "play/<int:episode_id>/resign/": ("302 404 404 405 404 403", "302 404 404 302 404 403"),
    "play/<int:episode_id>/history/": (MINE, "302 404 404 405 404 403"),
    "play/<int:episode_id>/figure.json": (MINE, "302 404 404 405 404 403"),
    "studies/new/": ("302 403 200 200 200 403", "302 403 422 422 422 403"),
    "studies/<int:study_id>/": (OURS, READ_ONLY),
    "studies/<int:study_id>/links/": ("302 403 405 405 405 403", "302 403 422 422 404 403"),
    "studies/<int:study_id>/open-link/": SHOWN,
    "studies/<int:study_id>/open-link/revoke/": EDITED,
    "studies/<int:study_id>/close/": EDITED,
    "studies/<int:study_id>/reopen/": EDITED,
    "studies/<int:study_id>/delete/": EDITED,
    "studies/participants/<int:participant_id>/renew/": SHOWN,
    "studies/participants/<int:participant_id>/revoke/": EDITED,
    "studies/<int:study_id>/participants.csv": (OURS, READ_ONLY),
    "studies/<int:study_id>/participants.json": (OURS, READ_ONLY),
    "studies/<int:study_id>/participants.tex": (OURS, READ_ONLY),
    "seasons/": ("302 200 200 200 200 403", READ_ONLY),
    "seasons/<slug:slug>/": ("302 200 200 200 200 403", READ_ONLY),
    "seasons/<slug:slug>/enter/": ("302 403 405 405 405 403", "302 403 302 302 302 403"),
    "p/<str:secret>/": (EVERYBODY, NOBODY),
    "p/<str:secret>/consent/": (NOBODY, SENT),
    "p/<str:secret>/practice/<int:period>/": (NOBODY, SENT),
    "p/<str:secret>/begin/": (NOBODY, SENT),
    "p/<str:secret>/periods/<int:period>/": (NOBODY, " ".join(["422"] * 6)),
    "p/<str:secret>/draft/": (NOBODY, EVERYBODY),
    "p/<str:secret>/resign/": (NOBODY, SENT),
    "p/<str:secret>/history/": (EVERYBODY, NOBODY),
    "p/<str:secret>/figure.json": (EVERYBODY, NOBODY),
}


def ids(owner):
    """A study with a participant in play, a game of the owner, and a season, which is of the whole site."""
    from episodes.models import Season, Seat
    from play.services import game_open, participant_begin, participant_consent, participants_create, study_create
    from play.turns import turn_of_seat
    from tests.cast import open_season

    name = owner.organization.name
    values = {
        "name": f"{name} study"[:50],
        "title": "A study of decisions",
        "environment": "pricing",
        "difficulty": "BASIC",
    }
    study = study_create(actor=owner, consent="Yes.", seeds="0", periods=2, practice=0, **values)
    ((participant, secret),) = participants_create(actor=owner, study=study, count=1, labels=[f"{name} person"])
    participant_consent(participant=participant, label="")
    participant_begin(participant=participant)
    (seat,) = game_open(
        organization=owner.organization,
        user=owner.user,
        name="me",
        environment="pricing",
        difficulty="BASIC",
        seed=0,
        periods=2,
    )
    season = Season.objects.first() or open_season("Matrix season")
    # Opening a period is written to its journal; here that has happened.
    for opened in Seat.objects.filter(episode__organization=owner.organization):
        turn_of_seat(opened)
    return {
        "<int:study_id>": study.pk,
        "<int:participant_id>": participant.pk,
        "<int:episode_id>": seat.episode_id,
        "<int:period>": 0,
        "<str:secret>": secret,
        "seasons/<slug:slug>/": f"seasons/{season.slug}/",
    }
