"""The end of a person's game: its place among models and people, and the person's earlier games."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Avg, F, Q, QuerySet

from environments.registry import score_format
from pages.play.payoff import is_skill
from runs.episodes.models import Episode
from runs.models import PlayerClass, Run, RunState

MOST_EARLIER = 10
LEAST_OTHERS = 3
"""With fewer models and games of people on the same instance, all instances of the difficulty are compared."""


@dataclass(frozen=True)
class Place:
    """The place of a game in a group, which counts the game itself. who: such as 'models'"""

    number: int
    of: int
    who: str


@dataclass(frozen=True)
class Standing:
    """Places of a game. is_same_instance: whether the others played its instance, or any instance of its difficulty"""

    places: list[Place]
    is_same_instance: bool


@dataclass(frozen=True)
class EarlierGame:
    """A game of the person's history. change: in words since the game before; empty for the first"""

    episode_id: int
    run_id: int
    label: str
    score: float
    ended_at: datetime | None
    change: str
    is_this: bool


def standing_of(episode: Episode) -> Standing | None:
    """Where a finished game stands. None if a higher score is not better, or nobody else has played a like game.

    Each model counts once, with its mean score; each game of another person counts. Takes two queries, or four if few
    have played the instance.
    """
    run = episode.played_run
    if run.score is None or not is_skill(run.instance.environment, run.variant):
        return None
    like = _like(run).exclude(pk=run.pk)
    if episode.opened_by_id is not None:
        like = like.exclude(episode__opened_by=episode.opened_by_id)
    places = _places(run.score, like.filter(instance=run.instance))
    is_same_instance = sum(place.of - 1 for place in places) >= LEAST_OTHERS
    if not is_same_instance:
        places = _places(run.score, like)
    places = [place for place in places if place.of > 1]
    return Standing(places, is_same_instance) if places else None


def _like(run: Run) -> QuerySet[Run]:
    """The organization's finished runs of the same game: difficulty, generator, variant and number of periods."""
    instance = run.instance
    return Run.objects.filter(
        organization=run.organization_id,
        state=RunState.FINISHED,
        score__isnull=False,
        variant=run.variant,
        periods=run.periods,
        instance__environment=instance.environment,
        instance__difficulty=instance.difficulty,
        instance__generator=instance.generator,
    )


def _places(score: float, runs: QuerySet[Run]) -> list[Place]:
    models = runs.filter(agent__player_class=PlayerClass.SITE, agent__baseline="").order_by()
    groups = {
        "models": list(models.values("agent").annotate(mean=Avg("score")).values_list("mean", flat=True)),
        "games of people": list(runs.filter(agent__player_class=PlayerClass.HUMAN).values_list("score", flat=True)),
    }
    return [Place(1 + sum(other > score for other in scores), 1 + len(scores), who) for who, scores in groups.items()]


def history_of(episode: Episode) -> list[EarlierGame]:
    """The newest finished games of the person under the same conditions, this one included, oldest first.

    Empty for a participant of a study, who plays one game.
    """
    if episode.opened_by_id is None:
        return []
    rows = (
        _like(episode.played_run)
        .filter(episode__opened_by=episode.opened_by_id)
        .filter(Q(episode__ended_at__lte=episode.ended_at) | Q(pk=episode.run_id))
    )
    newest = rows.select_related("instance", "episode").order_by(F("episode__ended_at").desc(), "-pk")
    games: list[EarlierGame] = []
    for run in reversed(newest[:MOST_EARLIER]):
        score = float(run.score or 0.0)
        games.append(
            EarlierGame(
                episode_id=run.episode.pk,
                run_id=run.pk,
                label=run.instance.numbered,
                score=score,
                ended_at=run.episode.ended_at,
                change=_change(run, score - games[-1].score) if games else "",
                is_this=run.pk == episode.run_id,
            )
        )
    return games


def _change(run: Run, difference: float) -> str:
    text = score_format(run.instance.environment, run.variant).text(difference)
    return text if difference < 0 else f"+{text}"
