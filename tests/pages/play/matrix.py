"""Answers of play that do not follow from the guards of its views.

Somebody with a participant's link needs no account, so its addresses answer everybody alike.
"""

MINE, NOT_POSTED = "302 404 404 200 404 403", "302 404 404 405 404 403"
"""The game of a member is found by the member alone, whatever the method."""

ROWS = {
    # Every member looks at the page, editors begin a game.
    "play/": {"post": "302 403 422 422 422 403"},
    **dict.fromkeys(
        (f"play/<int:episode_id>/{part}" for part in ("", "history/", "figure.json")), {"get": MINE, "post": NOT_POSTED}
    ),
    "play/<int:episode_id>/periods/<int:period>/": {"get": NOT_POSTED, "post": "302 404 404 422 404 403"},
    "play/<int:episode_id>/draft/": {"get": NOT_POSTED, "post": MINE},
    "play/<int:episode_id>/resign/": {"get": NOT_POSTED, "post": "302 404 404 302 404 403"},
    "studies/<int:study_id>/links/": {"post": "302 403 422 422 404 403"},
    # The answer shows the new link once.
    "studies/<int:study_id>/open-link/": {"post": "302 403 200 200 404 403"},
    "studies/participants/<int:participant_id>/renew/": {"post": "302 403 200 200 404 403"},
    "p/<str:secret>/periods/<int:period>/": {"post": "422 422 422 422 422 422"},
    "p/<str:secret>/draft/": {"post": "200 200 200 200 200 200"},
}


def ids(owner):
    """A study with a participant in play, a game of the owner, and a season, which is of the whole site."""
    from pages.play.services.games import game_open
    from pages.play.services.participants import participant_begin, participant_consent, participants_create
    from pages.play.services.studies import study_create
    from pages.play.turns import turn_of_seat
    from runs.episodes.models import Season, Seat
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
