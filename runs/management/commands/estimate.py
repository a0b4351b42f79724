from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction

from infrastructure.text.formats import counted, disk, duration, money, reach
from runs.estimating.dry import EstimatedRange
from runs.estimating.estimates import estimate
from runs.launching.plan import LaunchError
from runs.management.launches import add_launch_arguments, default_organization, fail, launch_from, print_json


class Command(BaseCommand):
    help = "Estimate the calls, tokens, cost, time and disk space of a launch. It takes the arguments of `launch`."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_launch_arguments(parser)

    def handle(self, **options: Any) -> None:
        organization = default_organization()
        try:
            with transaction.atomic():
                totals = estimate(launch_from(options, organization)[0], organization)
                # Nothing is launched, so agents created for the estimate are rolled back.
                transaction.set_rollback(True)
        except LaunchError as error:
            fail(str(error))
        if options["json"]:
            print_json(totals.as_json())
            return

        def about(spread: EstimatedRange, formatted: Callable[[float], str]) -> str:
            span = reach(formatted(spread.low), formatted(spread.high))
            return f"about {formatted(spread.expected)}" + (f" ({span})" if span else "")

        lines = [f"{counted(totals.runs, 'run,runs')}, at most {counted(totals.periods, 'period,periods')}"]
        if totals.calls:
            lines.append(f"Calls: about {totals.calls:,}")
            lines.append(f"Input tokens: {about(totals.input_tokens, '{:,.0f}'.format)}")
            lines.append(f"Output tokens: {about(totals.output_tokens, '{:,.0f}'.format)}")
        if totals.cost_nano is None:
            lines.append(f"Cost: not known, because no price is known for {', '.join(totals.unpriced)}")
        else:
            lines.append(f"Cost: {about(totals.cost_nano, lambda nano: money(round(nano)))}")
        prices = {
            "single calls": totals.by_call_nano,
            "by batch, within 24 hours": totals.by_batch_nano,
            "by flex, slower": totals.by_flex_nano,
        }
        price_texts = [f"{way}: about {money(round(cost.expected))}" for way, cost in prices.items() if cost]
        if price_texts:
            lines.append(f"Price of {'; '.join(price_texts)}")
        lines.append(f"Time: {about(totals.seconds, duration)}")
        most = totals.open_bytes.high
        more = f", and at most {disk(most)} more during the runs" if most else ""
        lines.append(f"Disk: {about(totals.kept_bytes, disk)}{more}")
        lines.append(totals.basis)
        self.stdout.write("\n".join([*lines, *(change.sentence for change in totals.price_changes)]))
