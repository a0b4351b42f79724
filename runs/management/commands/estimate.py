from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import transaction

from infrastructure.text.formats import counted, duration, money
from runs.bootstrap import ensure_organization, migrate_if_needed
from runs.estimating.estimates import Estimate, estimate
from runs.launching.plan import LaunchError
from runs.management.arguments import fail, print_json
from runs.management.launches import add_launch_arguments, nano_from, plan_from


class Command(BaseCommand):
    help = "Estimate what a launch would take: calls, tokens, dollars, time. Takes the arguments of launch."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_launch_arguments(parser)

    def handle(self, **options: Any) -> None:
        migrate_if_needed()
        organization, _ = ensure_organization(allow_environment_keys=settings.EMBEDDED)
        nano_from(options["budget"], "--budget")
        try:
            with transaction.atomic():
                found = estimate(plan_from(options, organization), organization)
                # Agents that were made on the spot are not kept, since nothing is launched.
                transaction.set_rollback(True)
        except LaunchError as error:
            fail(str(error))
        print_json(found.as_json()) if options["json"] else self.stdout.write("\n".join(_lines(found)))


def _lines(found: Estimate) -> list[str]:
    tokens, cost, seconds = found.input_tokens, found.cost_nano, found.seconds
    lines = [f"{counted(found.runs, 'run,runs')}, at most {counted(found.periods, 'period,periods')}"]
    if found.calls:
        lines += [
            f"Calls: about {found.calls:,}",
            f"Input tokens: about {tokens.expected:,.0f} ({tokens.low:,.0f} to {tokens.high:,.0f})",
            f"Output tokens: about {found.output_tokens.expected:,.0f} "
            f"({found.output_tokens.low:,.0f} to {found.output_tokens.high:,.0f})",
        ]
    if cost is None:
        lines.append(f"Cost: not known, since no price is known for {', '.join(found.unpriced)}")
    else:
        lines.append(f"Cost: about {money(cost.expected)} ({money(cost.low)} to {money(cost.high)})")
    lines.append(f"Time: about {duration(seconds.expected)} ({duration(seconds.low)} to {duration(seconds.high)})")
    return [*lines, found.basis]
