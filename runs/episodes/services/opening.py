"""Open episodes: practice on a public instance, or the whole set of a season at once."""

import hashlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from accounts.models import Organization, User
from accounts.secrets import token_hash
from environments.generation import Recipe
from environments.registry import ENVIRONMENTS, GENERATION
from infrastructure.transactions import wake, write_transaction
from runs.episodes.models import PROTOCOL, RULES, Entry, Episode, Seat
from runs.episodes.secrets import token_new
from runs.episodes.services.preparing import PREPARE, episode_prepare
from runs.launching.checks import designs_called
from runs.launching.plan import LaunchError, LaunchPlan
from runs.models import Agent, Experiment, PlayerClass, Run, RunState
from runs.selectors.designs import prompts_named
from runs.services.agents import free_slug
from runs.services.experiments import Key, recipes_of, runs_of_plan

KINDS = {"rest": PlayerClass.OUTSIDE, "mcp": PlayerClass.OUTSIDE, "human": PlayerClass.HUMAN}
"""Class of the player, by the kind of its harness."""

LIMITS = {
    PlayerClass.OUTSIDE: (timedelta(minutes=30), timedelta(hours=72)),
    PlayerClass.HUMAN: (timedelta(hours=24), timedelta(days=14)),
}
"""Longest period and longest episode, by the class of the player."""

MOST_IN_PLAY = 1_000
"""Most episodes of one organization in play at the same time."""

PRACTICE = "practice"
"""The key that marks the spec of an experiment which collects one player's practice episodes."""


@dataclass(frozen=True)
class Harness:
    """The player, as declared. `kind` is 'rest', 'mcp' or 'human'."""

    kind: str
    name: str
    version: str = ""
    model: str = ""
    url: str = ""

    @property
    def player_class(self) -> PlayerClass:
        return KINDS[self.kind]


@dataclass(frozen=True)
class OpenedEpisode:
    """An opened episode with the tokens of its seats. The tokens are shown only once."""

    episode: Episode
    tokens: dict[str, str]


@dataclass(frozen=True)
class PreparedPractice:
    """A checked plan of one run, and the recipe of its instance. The agent may not be stored yet."""

    plan: LaunchPlan
    recipes: dict[Key, Recipe]
    harness: Harness


def practice_prepare(
    *, organization: Organization, harness: Harness, rival: str | None = None, **plan_fields: Any
) -> PreparedPractice:
    """Check a practice episode. `plan_fields` are fields of LaunchPlan with one environment, difficulty, variant and seed.

    rival: slug of the baseline in the second seat of a market of two; None if an outside player takes that seat too
    Raises ValidationError by field.
    """
    harness_check(harness)
    baselines = Agent.objects.filter(organization=organization).exclude(baseline="")
    rival_agent = None if rival is None else baselines.filter(slug=rival).first()
    if rival is not None and rival_agent is None:
        raise ValidationError({"rival": "The second seat is held by a baseline: give its slug."})
    try:
        plan = LaunchPlan(
            agents=(player_of(organization, harness),),
            rival=rival_agent,
            prompts=prompts_named(organization=organization, variants=plan_fields.get("variants", ())),
            designs=designs_called(organization, plan_fields.get("difficulties", ())),
            **plan_fields,
        )
    except LaunchError as error:
        raise ValidationError(error.errors) from None
    return PreparedPractice(plan, recipes_of(plan, organization), harness)


def harness_check(harness: Harness) -> None:
    """Check the declared fields of a harness. Raises ValidationError by field."""

    def is_odd(value: str) -> bool:
        return len(value) > 200 or not value.isprintable()

    has_name = slugify(harness.name, allow_unicode=True) and harness.name.isprintable() and len(harness.name) <= 60
    is_address = not harness.url or harness.url.startswith(("https://", "http://"))
    rules = [
        ("kind", harness.kind in KINDS, f"The kind is one of {', '.join(KINDS)}."),
        ("name", has_name, "A name has 1 to 60 characters with at least one letter or digit."),
        *(
            (name, not is_odd(getattr(harness, name)), "This has at most 200 characters on one line.")
            for name in ("version", "model", "url")
        ),
        (
            "version",
            len(_name_of(harness)) <= 100 or is_odd(harness.version),
            "Name and version have at most 100 characters together.",
        ),
        ("url", is_address, "An address begins with https:// or http://."),
    ]
    fields_check((f"harness.{name}", holds, sentence) for name, holds, sentence in rules)


def fields_check(rules: Iterable[tuple[str, object, str]]) -> None:
    """Raise ValidationError by field for the rules that do not hold. `rules`: field, whether the rule holds, sentence."""
    errors = {field: sentence for field, holds, sentence in rules if not holds}
    if errors:
        raise ValidationError(errors)


def player_of(organization: Organization, harness: Harness) -> Agent:
    """The stored agent with the name, version and model of a harness. If there is none, a new agent that is not stored."""
    declared: dict[str, Any] = {
        "organization": organization,
        "name": _name_of(harness),
        "model": harness.model.strip(),
        "player_class": harness.player_class,
    }
    return Agent.objects.filter(**declared).order_by("id").first() or Agent(**declared)


def _name_of(harness: Harness) -> str:
    return f"{harness.name.strip()} {harness.version.strip()}".strip()


def player_stored(organization: Organization, harness: Harness) -> Agent:
    """The agent of `player_of`. A new agent is stored under a free slug. Must be called in a transaction."""
    agent = player_of(organization, harness)
    if agent.pk is None:
        agent.slug = free_slug(
            agent, slugify(f"{agent.player_class} {agent.name} {agent.model}", allow_unicode=True)[:190]
        )
        agent.save()
    return agent


def practice_open(*, organization: Organization, user: User | None, prepared: PreparedPractice) -> OpenedEpisode:
    """Open a practice episode. Its run belongs to the experiment that collects the player's practice."""
    with write_transaction():
        Organization.objects.select_for_update(no_key=True).get(pk=organization.pk)
        room_check(organization, 1)
        agent = player_stored(organization, prepared.harness)
        plan = replace(prepared.plan, agents=(agent,))
        experiment = _practice_of(organization, user, agent, plan)
        try:
            (run,) = runs_of_plan(experiment, plan, prepared.recipes)
        except LaunchError as error:
            raise ValidationError(error.errors) from None
        opened = episode_create(run=run, user=user, harness=prepared.harness)
        if not GENERATION[run.instance.environment].reference_is_costly or run.instance.reference is not None:
            episode_prepare(episode=opened.episode)
    transaction.on_commit(lambda: wake(PREPARE))
    return opened


def room_check(organization: Organization, more: int) -> None:
    """Raise ValidationError if opening `more` episodes would exceed the limit of episodes in play."""
    if Episode.objects.filter(organization=organization, ending="").count() + more > MOST_IN_PLAY:
        raise ValidationError(f"At most {MOST_IN_PLAY:,} episodes of an organization are in play at the same time.")


def _practice_of(organization: Organization, user: User | None, agent: Agent, plan: LaunchPlan) -> Experiment:
    """The experiment that collects a player's practice episodes. Its spec lists all environments and difficulties played."""
    experiments = Experiment.objects.filter(organization=organization, spec__practice=agent.slug)
    experiment = experiments.order_by("-id").first() or Experiment(
        organization=organization,
        name=f"Practice of {agent.name}"[:200],
        spec={PRACTICE: agent.slug, "environments": [], "difficulties": []},
        created_by=user,
    )
    for name in ("environments", "difficulties"):
        experiment.spec[name] = list(dict.fromkeys([*experiment.spec[name], *getattr(plan, name)]))
    experiment.save()
    return experiment


def episode_create(
    *, run: Run, user: User | None, harness: Harness, entry: Entry | None = None, position: int = 0
) -> OpenedEpisode:
    """Store an open run with its episode and seats. Must be called in a transaction."""
    now = timezone.now()
    longest_period, longest = LIMITS[harness.player_class]
    player = {"player_class": harness.player_class, **asdict(harness), "protocol": PROTOCOL, "rules": RULES}
    run.state, run.started_at, run.config = RunState.OPEN, now, run.config | {"player": player}
    run.save()
    episode = Episode.objects.create(
        run=run,
        organization_id=run.organization_id,
        entry=entry,
        place=position,
        environment=run.instance.environment,
        difficulty=run.instance.difficulty,
        harness=asdict(harness),
        seconds_a_period=int(longest_period.total_seconds()),
        opened_by=user,
        due_at=now + longest,
        period_due_at=now + longest_period,
    )
    seats = ENVIRONMENTS[run.instance.environment].seats_of(run.variant)
    # A baseline plays the second seat if the run has a rival.
    tokens = {seat: token_new() for seat in (seats if run.rival is None else seats[:1])}
    chain = hashlib.sha256(f"econevals journal {PROTOCOL}".encode()).hexdigest()
    Seat.objects.bulk_create(
        Seat(episode=episode, name=name, token_hash=token_hash(token), chain=chain) for name, token in tokens.items()
    )
    return OpenedEpisode(episode, tokens)
