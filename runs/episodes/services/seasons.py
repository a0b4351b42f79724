"""Create seasons, and enter them with a whole set of sealed episodes."""

from dataclasses import dataclass
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from accounts.models import Action, Membership, Organization, User
from accounts.services.audit import audit_record
from environments.base import Instance as Problem
from environments.generation import RANKED, commitment
from environments.registry import ENVIRONMENTS, GENERATION
from infrastructure.text.slugs import ascii_slug
from infrastructure.transactions import wake, write_transaction
from runs.episodes.game import sealed_problem
from runs.episodes.models import Entry, Episode, Season
from runs.episodes.refusals import Code, SeatRefused
from runs.episodes.secrets import commitment_nonce, season_secret, season_secret_new
from runs.episodes.services import opening
from runs.episodes.services.preparing import PREPARE
from runs.models import Experiment, Instance, Run
from runs.models.instances import SEALED

MOST_INSTANCES = 20
TAKEN = "Choose a name with a letter or digit that no other season has."
SEASON = "season"
"""Key in the spec of an experiment that is an entry in a season."""


@dataclass(frozen=True)
class SealedEpisode:
    """An episode of an entry that is not open yet: its place in the set, its instance and the published commitment."""

    position: int
    problem: Problem
    commitment: str


@dataclass(frozen=True)
class PreparedEntry:
    season: Season
    number: int
    harness: opening.Harness
    episodes: list[SealedEpisode]


def season_create(
    *,
    name: str,
    environments: list[str],
    difficulties: list[str],
    instances: int,
    entries: int,
    opens_at: datetime,
    closes_at: datetime,
    actor: Membership | None = None,
) -> Season:
    """Create a season with a new secret. Raises ValidationError by field.

    actor: the membership in which a site operator acts, whose organization has the audit entry; None for a command
    """
    slug = ascii_slug(name, "season")[:60]
    secret, secret_hash = season_secret_new(slug)
    season = Season(
        slug=slug,
        name=name.strip()[:100],
        secret=secret,
        secret_hash=secret_hash,
        environments=environments,
        difficulties=difficulties,
        instances=instances,
        entries=entries,
        opens_at=opens_at,
        closes_at=closes_at,
        reveals_at=closes_at,
    )
    opening.fields_check(_season_rules(season))
    with write_transaction():
        if Season.objects.filter(slug=slug).exists():
            raise ValidationError({"name": TAKEN})
        season.save()
        if actor is not None:
            audit_record(
                organization=actor.organization, actor=actor.user, action=Action.SEASON_CREATED, subject=season.name
            )
    return season


def _season_rules(season: Season) -> list[tuple[str, object, str]]:
    """Rules of fields, see `fields_check`. The slug "new" is the address of the form."""
    return [
        *_set_rules(season.environments, season.difficulties),
        ("name", season.slug and season.slug != "new", TAKEN),
        (
            "instances",
            1 <= season.instances <= MOST_INSTANCES,
            f"An entry plays 1 to {MOST_INSTANCES} instances of each kind.",
        ),
        ("entries", 1 <= season.entries <= 100, "An organization may enter 1 to 100 times."),
        ("closes_at", season.opens_at < season.closes_at, "A season closes after it opens."),
    ]


def _set_rules(environments: list[str], difficulties: list[str]) -> list[tuple[str, object, str]]:
    sealable = [name for name, generation in GENERATION.items() if generation.can_be_sealed]
    are_sealable = bool(environments) and set(environments) <= set(sealable)
    levels = {level for name in environments if are_sealable for level in GENERATION[name].difficulties}
    have_levels = not are_sealable or (difficulties and set(difficulties) <= levels)
    return [
        ("environments", are_sealable, f"Only environments with hidden values are ranked: {', '.join(sealable)}."),
        ("difficulties", have_levels, f"The difficulties of these environments are {', '.join(sorted(levels))}."),
    ]


def entry_prepare(
    *, organization: Organization, season: Season, harness: opening.Harness, user: User | None = None
) -> PreparedEntry:
    """Draw the instances of the organization's next entry. Raises ValidationError by field, and SeatRefused."""
    opening.harness_check(harness)
    number = _next_number(organization, user, season)
    secret = season_secret(season)
    kinds = [
        (environment, difficulty)
        for environment in season.environments
        for difficulty in season.difficulties
        if difficulty in GENERATION[environment].difficulties
        for _ in range(season.instances)
    ]
    episodes = []
    for position, kind in enumerate(kinds):
        derivation_path = f"{organization.pk}/{number}/{position}"
        problem = sealed_problem(secret, derivation_path, *kind)
        episodes.append(
            SealedEpisode(position, problem, commitment(commitment_nonce(secret, derivation_path), problem))
        )
    return PreparedEntry(season, number, harness, episodes)


def _next_number(organization: Organization, user: User | None, season: Season) -> int:
    """The number of the next entry. Raises SeatRefused if the season is closed, the limit is reached or an entry is in play.

    Entries that the person opened in other organizations count too, so a new organization does not give a new first
    attempt.
    """
    if not season.is_open:
        raise SeatRefused(Code.CLOSED, f"The season {season.name} is not open.")
    entered = Entry.objects.filter(season=season, organization=organization)
    if Episode.objects.filter(entry__in=entered, ending="", run__isnull=False, run__deleted_at=None).exists():
        raise SeatRefused(Code.CLOSED, "An earlier entry is still in play. Finish it or resign it first.")
    own = Entry.objects.filter(season=season, opened_by=user).count() if user else 0
    ours = entered.count()
    number = max(ours, own) + 1
    if number > season.entries:
        whose = "An organization" if own <= ours else "A person, in all organizations together,"
        raise SeatRefused(Code.CLOSED, f"{whose} may enter this season {season.entries} times.")
    return number


def entry_open(
    *, organization: Organization, user: User | None, prepared: PreparedEntry
) -> tuple[Entry, list[opening.OpenedEpisode]]:
    """Open all episodes of an entry at once. Raises SeatRefused and ValidationError."""
    with write_transaction():
        Organization.objects.select_for_update(no_key=True).get(pk=organization.pk)
        season = Season.objects.select_for_update(no_key=True).get(pk=prepared.season.pk)
        if _next_number(organization, user, season) != prepared.number:
            raise SeatRefused(Code.CLOSED, "Another entry was opened at the same moment.")
        opening.room_check(organization, len(prepared.episodes))
        agent = opening.player_stored(organization, prepared.harness)
        experiment = Experiment.objects.create(
            organization=organization,
            name=f"{season.name}, entry {prepared.number} of {season.entries}, {agent.name}"[:200],
            spec={SEASON: season.slug, "environments": season.environments, "difficulties": season.difficulties},
            created_by=user,
        )
        entry = Entry.objects.create(
            season=season,
            organization=organization,
            organization_key=organization.pk,
            organization_name=organization.name,
            opened_by=user,
            number=prepared.number,
            agent=agent,
            agent_name=agent.name,
            player_class=agent.player_class,
            experiment=experiment,
            episode_count=len(prepared.episodes),
            is_out_of_competition=organization.memberships.filter(user__is_operator=True).exists(),
        )
        opened = [_open_sealed(entry, experiment, user, prepared.harness, sealed) for sealed in prepared.episodes]
    transaction.on_commit(lambda: wake(PREPARE))
    return entry, opened


def _open_sealed(
    entry: Entry, experiment: Experiment, user: User | None, harness: opening.Harness, sealed: SealedEpisode
) -> opening.OpenedEpisode:
    problem = sealed.problem
    game_type = ENVIRONMENTS[problem.environment]
    instance = Instance.objects.create(
        organization=experiment.organization,
        environment=problem.environment,
        difficulty=problem.difficulty,
        seed=sealed.position,
        generator=RANKED,
        content_hash=f"{SEALED}{sealed.commitment}"[:64],
        settings=problem.settings,
        parameters={},
        hidden={},
    )
    run = Run(
        organization=experiment.organization,
        experiment=experiment,
        instance=instance,
        agent=entry.agent,
        periods=game_type.default_periods,
        prompt_version=game_type.prompt_set.version,
        config={},
    )
    opened = opening.episode_create(run=run, user=user, harness=harness, entry=entry, position=sealed.position)
    episode = opened.episode
    episode.commitment = sealed.commitment
    if problem.reference:
        episode.reference, episode.prepared_at = problem.reference, timezone.now()
    episode.save(update_fields=["commitment", "reference", "prepared_at"])
    return opened
