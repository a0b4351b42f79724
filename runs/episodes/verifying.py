"""Check a revealed secret: it must have the published hash and yield the instances of the commitments."""

import hashlib
from dataclasses import dataclass

from environments.generation import commitment
from runs.episodes.game import sealed_problem
from runs.episodes.models import Episode, Season
from runs.episodes.secrets import commitment_nonce, season_secret


@dataclass(frozen=True)
class SeasonCheck:
    """The result of a check.

    is_secret: whether the secret has the published hash
    wrong: numbers of the episodes whose instance differs from its commitment
    """

    is_secret: bool
    games: int
    wrong: list[int]


def season_check(season: Season) -> SeasonCheck:
    """Draw every instance of a season again and compare it with its commitment. The season must be revealed."""
    secret = season_secret(season)
    episodes = list(Episode.objects.filter(entry__season=season).select_related("entry", "run__instance"))
    wrong = [episode.pk for episode in episodes if not _is_as_committed(secret, episode)]
    return SeasonCheck(hashlib.sha256(secret).hexdigest() == season.secret_hash, len(episodes), wrong)


def _is_as_committed(secret: bytes, episode: Episode) -> bool:
    problem = sealed_problem(secret, episode.derivation_path, episode.environment, episode.difficulty)
    committed = commitment(commitment_nonce(secret, episode.derivation_path), problem)
    played_hash = episode.run.instance.content_hash if episode.run else problem.content_hash
    return (committed, problem.content_hash) == (episode.commitment, played_hash)
