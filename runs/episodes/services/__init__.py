"""Writes of the episode service, by what they are about."""

from runs.episodes.secrets import season_secrets_rotate
from runs.episodes.services.ending import entry_withdraw, episode_end, episodes_expire, episodes_lock, episodes_withdraw
from runs.episodes.services.opening import Harness, OpenedEpisode, practice_open, practice_prepare
from runs.episodes.services.playing import CallAnswer, Receipt, seat_act, seat_call, seat_resign
from runs.episodes.services.revealing import season_close, season_reveal
from runs.episodes.services.seasons import entry_open, entry_prepare, season_create

__all__ = [
    "CallAnswer",
    "Harness",
    "OpenedEpisode",
    "Receipt",
    "entry_open",
    "entry_prepare",
    "entry_withdraw",
    "episode_end",
    "episodes_expire",
    "episodes_lock",
    "episodes_withdraw",
    "practice_open",
    "practice_prepare",
    "season_close",
    "season_create",
    "season_reveal",
    "season_secrets_rotate",
    "seat_act",
    "seat_call",
    "seat_resign",
]
