from __future__ import annotations

from argparse import ArgumentParser
from decimal import Decimal, InvalidOperation
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from environments.generation import CUSTOM, GENERATORS
from environments.registry import ENVIRONMENTS
from runs.adhoc import agent_from_text
from runs.bootstrap import ensure_organization, migrate_if_needed
from runs.launching import LaunchError, LaunchPlan, parse_seeds
from runs.management.arguments import add_settings_argument, fail, print_json, settings_from
from runs.services import experiment_launch
from runs.watching import play_here, run_records, wait_for, worker_is_up

NANO = 1_000_000_000


class Command(BaseCommand):
    help = "Launch an experiment: every chosen agent on every chosen instance."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("--environment", nargs="+", required=True, choices=list(ENVIRONMENTS), metavar="ENV")
        add("--difficulty", nargs="+", required=True, metavar="DIFFICULTY", help=f"BASIC, MEDIUM, HARD or {CUSTOM}")
        add("--seeds", required=True, help="for example 0-11 or 0,3,7")
        add("--agent", nargs="+", required=True, metavar="AGENT", help="a slug, or PROVIDER:MODEL[@BASE_URL]")
        add("--variant", nargs="+", default=["main"])
        add("--periods", type=int, help="at most as many as the papers play, which is the default")
        add("--rival", metavar="AGENT", help="who holds the second seat in a market of two")
        add("--generator", choices=list(GENERATORS), default="published")
        add("--reasoning-wording", choices=["auto", "on", "off"], default="auto")
        add("--budget", metavar="USD", help="what the experiment may cost")
        add("--run-budget", metavar="USD", help="what each run may cost")
        add("--name", default="")
        add("--api-key-env", default="", metavar="NAME", help="variable that holds the key of agents made on the spot")
        add("--wait", action="store_true", help="return when all runs ended; plays them here if no worker is up")
        add("--json", action="store_true", help="print JSON")
        add_settings_argument(parser)

    def handle(self, **options: Any) -> None:
        migrate_if_needed()
        organization, _ = ensure_organization(allow_environment_keys=settings.EMBEDDED)
        key = options["api_key_env"]
        try:
            plan = LaunchPlan(
                environments=tuple(dict.fromkeys(options["environment"])),
                difficulties=tuple(dict.fromkeys(options["difficulty"])),
                seeds=parse_seeds(options["seeds"]),
                agents=tuple(agent_from_text(text, organization, key) for text in options["agent"]),
                variants=tuple(dict.fromkeys(options["variant"])),
                periods=options["periods"],
                generator=options["generator"],
                settings=settings_from(options["environment"][0], options["set"]),
                reasoning_wording=options["reasoning_wording"],
                rival=agent_from_text(options["rival"], organization, key) if options["rival"] else None,
                run_budget_nano=_nano(options["run_budget"], "--run-budget"),
            )
            experiment = experiment_launch(
                organization=organization,
                user=None,
                plan=plan,
                name=options["name"],
                budget_nano=_nano(options["budget"], "--budget"),
            )
        except LaunchError as error:
            fail(str(error))
        if options["wait"]:
            wait_for(experiment) if worker_is_up() else play_here(experiment)
        records = run_records(experiment)
        if options["json"]:
            print_json({"experiment": experiment.pk, "runs": records})
            return
        self.stdout.write(f"Experiment {experiment.pk}: {experiment.name}, {len(records)} runs.")
        for record in records if options["wait"] else ():
            score = "" if record["score"] is None else f"{record['score'] * 100:.1f}"
            self.stdout.write(
                f"  run {record['id']}: {record['agent']} on {record['environment']} {record['difficulty']}, "
                f"seed {record['seed']}: {record['state']} {score} {record['error']}".rstrip()
            )


def _nano(budget: str | None, option: str) -> int | None:
    if budget is None:
        return None
    try:
        amount = Decimal(budget)
    except InvalidOperation:
        fail(f"{option} must be an amount in dollars, not {budget!r}.")
    if not 0 < amount <= 1_000_000:
        fail(f"{option} must be more than $0 and at most $1,000,000.")
    return int(amount * NANO)
