"""Writes of play, by what they are about."""

from pages.play.services.games import draft_save, game_open, game_resign, notes_keep, turn_take
from pages.play.services.participants import (
    participant_begin,
    participant_consent,
    participant_join,
    participant_practise,
    participant_renew,
    participant_revoke,
    participants_create,
)
from pages.play.services.studies import (
    open_link_create,
    open_link_revoke,
    study_close,
    study_create,
    study_delete,
    study_fault,
    study_reopen,
)

__all__ = [
    "draft_save",
    "game_open",
    "game_resign",
    "notes_keep",
    "open_link_create",
    "open_link_revoke",
    "participant_begin",
    "participant_consent",
    "participant_join",
    "participant_practise",
    "participant_renew",
    "participant_revoke",
    "participants_create",
    "study_close",
    "study_create",
    "study_delete",
    "study_fault",
    "study_reopen",
    "turn_take",
]
