from typing import Annotated, Any

from pydantic import Field

from api.schemas.base import OneOf, Out
from environments.registry import EXAMPLE
from infrastructure.schemas import In, Plain
from runs.episodes.models import PROTOCOL, RULES, Entry, Episode, JournalEntry, Season
from runs.episodes.selectors import EntryRow, state_of
from runs.episodes.services.opening import KINDS, OpenedEpisode
from runs.launching.fields import Periods
from runs.launching.request import Difficulty, Environment, Variant

STATES = ("preparing", "open", "waiting", "finished", "resigned", "expired", "withdrawn")
Text = Annotated[Plain, Field(max_length=200)]


class HarnessIn(In):
    """The declared name of the player. Leaderboards show it."""

    kind: Annotated[Plain, OneOf(tuple(KINDS))]
    name: Annotated[Plain, Field(max_length=60, examples=["my-agent"])]
    version: Text = ""
    model: Text = ""
    url: Text = ""


class EpisodeIn(In):
    """Practice names an instance; `season` opens a whole ranked entry instead."""

    harness: HarnessIn
    season: Text | None = None
    environment: Annotated[Environment | None, Field(examples=[EXAMPLE])] = None
    difficulty: Annotated[Difficulty | None, Field(examples=["BASIC"])] = None
    seed: Annotated[int, Field(ge=0, le=2**32 - 1)] = 0
    variant: Variant = "main"
    generator: Plain = "published"
    settings: Annotated[dict[Plain, float], Field(max_length=50)] = {}
    """Settings of the difficulty `CUSTOM`."""
    periods: Periods = None
    rival: Text | None = None
    """Slug of the baseline in the second seat of a market of two; null if an outside player takes that seat too."""


class Deadlines(
    Out, rows=(Episode,), fields="period episode", sources={"period": "period_due_at", "episode": "due_at"}
): ...


class EpisodeOut(
    Out,
    rows=(Episode,),
    fields=(
        "id run environment difficulty seed season state period periods player_class commitment deadlines protocol "
        "rules opened_at ended_at"
    ),
    sources={"period": "periods_played"},
    nullable="commitment",
    details={
        "run": "Null if the run was deleted.",
        "commitment": (
            "SHA-256 of nonce, key and instance of a ranked episode; `docs/outside-agents.md` says how to check it."
        ),
    },
):
    seed: int | None
    """Null for a ranked episode, since its instance is sealed."""
    season: str | None
    state: Annotated[str, Field(json_schema_extra={"enum": list(STATES)})]
    periods: int | None
    player_class: str
    deadlines: Deadlines

    @classmethod
    def values(cls, episode: Episode, **more: Any) -> dict[str, Any]:
        run, season = episode.kept_run, episode.entry.season if episode.entry else None
        return cls.from_row(
            episode,
            run=run and run.pk,
            seed=run.instance.seed if run and not episode.is_ranked else None,
            season=season.slug if season else None,
            state=state_of(episode),
            periods=run.periods if run else None,
            player_class=run.agent.player_class if run else "",
            commitment=episode.commitment or None,
            deadlines=Deadlines.from_row(episode),
            **more,
        )


class OpenedOut(EpisodeOut):
    seats: Annotated[dict[str, str], Field(examples=[{"seat_0": "ep_…"}])]
    """The token of each seat. No later answer contains them."""
    token: str
    """The token of the first seat."""
    mcp: str
    """The address for an MCP client, which sends the token of its seat."""

    @classmethod
    def of(cls, opened: OpenedEpisode, mcp: str) -> dict[str, Any]:
        first_token = next(iter(opened.tokens.values()))
        return cls.values(opened.episode, seats=opened.tokens, token=first_token, mcp=mcp)


class EntryOut(
    Out,
    rows=(Entry, Season, Episode),
    fields="season entry of episodes protocol rules",
    sources={"season": "slug", "entry": "number", "of": "entries"},
    details={"of": "Number of entries that an organization may open."},
):
    episodes: list[OpenedOut]

    @classmethod
    def values(cls, entry: Entry, opened: list[OpenedEpisode], mcp: str) -> dict[str, Any]:
        episodes = [OpenedOut.of(opened_episode, mcp) for opened_episode in opened]
        return cls.from_row(entry, entry.season, episodes=episodes, protocol=PROTOCOL, rules=RULES)


class JournalEntryOut(Out, rows=(JournalEntry,), fields="number period is_action tool arguments chain created_at"): ...


class BoardRow(
    Out,
    rows=(EntryRow, Entry, Season),
    fields="organization agent player_class entry of episodes finished in_play score flagged "
    "commitments is_out_of_competition",
    sources={
        "organization": "organization_shown",
        "agent": "agent_name",
        "entry": "number",
        "of": "entries",
        "episodes": "episode_count",
    },
    details={
        "commitments": "Commitments to the instances of the set, in its order.",
        "is_out_of_competition": "Whether a member of the organization was a site operator. Such entries are last.",
    },
):
    player_class: str
    score: float | None
    """Mean score over the whole set, a share from 0 to 1; unfinished episodes count as 0.
    Null while an episode is being played.
    While the season is open, the entry's organization gets it rounded to hundredths and others get null."""
    flagged: int
    """Number of episodes flagged for review by a person, because one of their first ten periods is
    near-perfect. 0 until the season closes."""


class SeasonOut(
    Out,
    rows=(Season,),
    fields="slug name environments difficulties instances entries opens_at closes_at revealed_at secret_hash",
    details={"secret_hash": "SHA-256 of the secret, published from the start."},
):
    environments: list[str]
    difficulties: list[str]


class SeasonWithBoard(SeasonOut):
    secret: str | None
    """The secret in hexadecimal digits; null until the season is revealed."""
    board: list[BoardRow]
