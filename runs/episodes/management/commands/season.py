from argparse import ArgumentParser, ArgumentTypeError
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand
from django.utils.dateparse import parse_datetime

from environments.registry import BENCHMARKS, ENVIRONMENTS
from infrastructure.text.formats import counted
from runs.episodes.models import Season
from runs.episodes.services.ending import season_close, season_reveal_request
from runs.episodes.services.seasons import season_create
from runs.episodes.verifying import season_check
from runs.management.launches import add_json_argument, fail, print_json


class Command(BaseCommand):
    help = "Create, list, close, reveal and verify seasons: ranked play on sealed instances. Every action takes --json."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
        create = actions.add_parser("create", help="create a season with a new secret")
        create.add_argument("name")
        create.add_argument(
            "--environment", action="append", choices=list(ENVIRONMENTS), help="default: all benchmarks"
        )
        create.add_argument("--difficulty", action="append", metavar="NAME", help="default: BASIC, MEDIUM and HARD")
        create.add_argument(
            "--instances", type=int, default=1, metavar="N", help="per environment and difficulty, default 1"
        )
        create.add_argument(
            "--entries", type=int, default=3, metavar="N", help="most entries of an organization, default 3"
        )
        create.add_argument("--opens", type=_moment, default=None, metavar="TIME", help="default: now")
        create.add_argument("--closes", type=_moment, required=True, metavar="TIME", help="in UTC, as 2026-12-31T18:00")
        actions.add_parser("list", help="list all seasons")
        for name, about in (
            ("close", "end the games of a season now; it is revealed at its announced end, or by `reveal`"),
            ("reveal", "show the secret and all games of a closed season, which cannot be undone"),
            ("verify", "draw the instances of a revealed season again"),
        ):
            actions.add_parser(name, help=about).add_argument("slug")
        for sub in actions.choices.values():
            add_json_argument(sub)

    def handle(self, *, action: str, json: bool, **options: Any) -> None:
        if action == "create":
            seasons, verb = [self._create(**options)], "Created"
        elif action == "list":
            seasons, verb = list(Season.objects.all()), ""
        elif action == "close":
            seasons, verb = [_season_by_slug(options["slug"])], "Closed"
            season_close(season=seasons[0])
        elif action == "reveal":
            seasons, verb = [_season_by_slug(options["slug"])], "Revealing"
            try:
                season_reveal_request(season=seasons[0])
            except ValidationError as error:
                fail(" ".join(error.messages))
        else:
            self._verify(_season_by_slug(options["slug"]), json)
            return
        if json:
            print_json([_as_json(season) for season in seasons])
        else:
            lines = [f"{verb} {_line(season)}".strip() for season in seasons]
            self.stdout.write("\n".join(lines or ["There is no season yet."]))

    def _create(self, **options: Any) -> Season:
        try:
            return season_create(
                name=options["name"],
                environments=options["environment"] or list(BENCHMARKS),
                difficulties=options["difficulty"] or ["BASIC", "MEDIUM", "HARD"],
                instances=options["instances"],
                entries=options["entries"],
                opens_at=options["opens"] or datetime.now(UTC),
                closes_at=options["closes"],
            )
        except ValidationError as error:
            fail(" ".join(error.messages))

    def _verify(self, season: Season, json: bool) -> None:
        if season.revealed_at is None:
            fail(f"The season {season.slug} is not revealed yet.")
        check = season_check(season)
        if json:
            print_json({"season": season.slug, "secret": check.is_secret, "games": check.games, "wrong": check.wrong})
        else:
            self.stdout.write(f"The secret {'has' if check.is_secret else 'does not have'} the published hash.")
            self.stdout.write(f"{counted(check.games, 'game,games')} drawn again, {len(check.wrong)} not as committed.")
        if check.wrong or not check.is_secret:
            raise SystemExit(1)


def _moment(text: str) -> datetime:
    """Parse a time, in UTC unless the text names another zone. Raises ArgumentTypeError."""
    with suppress(ValueError):
        if moment := parse_datetime(text):
            return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    raise ArgumentTypeError(f"{text[:40]!r} is not a time such as 2026-12-31T18:00")


def _season_by_slug(slug: str) -> Season:
    return Season.objects.filter(slug=slug).first() or fail(f"There is no season {slug}.")


def _line(season: Season) -> str:
    return (
        f"{season.slug} ({season.state}): {', '.join(season.environments)}; {', '.join(season.difficulties)}; "
        f"{season.opens_at:%Y-%m-%d %H:%M} to {season.closes_at:%Y-%m-%d %H:%M} UTC, "
        f"{counted(season.entered.count(), 'entry,entries')}, hash {season.secret_hash}"
    )


def _as_json(season: Season) -> dict[str, Any]:
    names = ("slug", "name", "environments", "difficulties", "instances", "entries", "secret_hash")
    times = {
        name: getattr(season, name) and getattr(season, name).isoformat()
        for name in ("opens_at", "closes_at", "revealed_at")
    }
    return {name: getattr(season, name) for name in names} | times | {"entered": season.entered.count()}
