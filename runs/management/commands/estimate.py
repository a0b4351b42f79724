from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction

from infrastructure.text.formats import counted, duration, money
from runs.estimating.estimates import Estimate, estimate
from runs.launching.plan import LaunchError
from runs.management.arguments import default_organization, fail, print_json
from runs.management.launches import add_launch_arguments, nano_from, plan_from


class Command(BaseCommand):
    help = "Estimate the calls, tokens, dollars and time of a launch. Takes the arguments of `launch`."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_launch_arguments(parser)

    def handle(self, **options: Any) -> None:
        organization = default_organization()
        nano_from(options["budget"], "--budget")
        try:
            with transaction.atomic():
                found = estimate(plan_from(options, organization), organization)
                # Nothing is launched, so ad hoc agents are not kept.
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
        lines.append(f"Cost: not known, because no price is known for {', '.join(found.unpriced)}")
    else:
        low, expected, high = (money(round(nano)) for nano in (cost.low, cost.expected, cost.high))
        lines.append(f"Cost: about {expected} ({low} to {high})")
    lines.append(f"Time: about {duration(seconds.expected)} ({duration(seconds.low)} to {duration(seconds.high)})")
    return [*lines, found.basis]
