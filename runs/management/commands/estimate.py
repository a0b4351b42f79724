from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction

from infrastructure.text.formats import counted, disk, duration, money, reach
from runs.estimating.estimates import estimate
from runs.estimating.spread import Spread
from runs.launching.plan import LaunchError
from runs.management.arguments import default_organization, fail, print_json
from runs.management.launches import add_launch_arguments, launch_from


class Command(BaseCommand):
    help = "Estimate the calls, tokens, dollars, time and disk of a launch. Takes the arguments of `launch`."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_launch_arguments(parser)

    def handle(self, **options: Any) -> None:
        organization = default_organization()
        try:
            with transaction.atomic():
                found = estimate(launch_from(options, organization)[0], organization)
                # Nothing is launched, so ad hoc agents are not kept.
                transaction.set_rollback(True)
        except LaunchError as error:
            fail(str(error))
        if options["json"]:
            print_json(found.as_json())
            return

        def about(spread: Spread, words: Callable[[float], str]) -> str:
            found = reach(words(spread.low), words(spread.high))
            return f"about {words(spread.expected)}" + (f" ({found})" if found else "")

        lines = [f"{counted(found.runs, 'run,runs')}, at most {counted(found.periods, 'period,periods')}"]
        if found.calls:
            lines.append(f"Calls: about {found.calls:,}")
            lines.append(f"Input tokens: {about(found.input_tokens, '{:,.0f}'.format)}")
            lines.append(f"Output tokens: {about(found.output_tokens, '{:,.0f}'.format)}")
        if found.cost_nano is None:
            lines.append(f"Cost: not known, because no price is known for {', '.join(found.unpriced)}")
        else:
            lines.append(f"Cost: {about(found.cost_nano, lambda nano: money(round(nano)))}")
        prices = {
            "single calls": found.by_call_nano,
            "by batch, within 24 hours": found.by_batch_nano,
            "by flex, slower": found.by_flex_nano,
        }
        known = [f"{way}: about {money(round(cost.expected))}" for way, cost in prices.items() if cost]
        if known:
            lines.append(f"Price of {'; '.join(known)}")
        lines.append(f"Time: {about(found.seconds, duration)}")
        most = found.open_bytes.high
        more = f", and at most {disk(most)} more during the runs" if most else ""
        lines.append(f"Disk: {about(found.kept_bytes, disk)}{more}")
        lines.append(found.basis)
        self.stdout.write("\n".join([*lines, *(change.sentence for change in found.price_changes)]))
