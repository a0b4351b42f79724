from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from infrastructure.text.formats import counted, disk, duration, money, reach
from runs.estimating.dry import EstimatedRange
from runs.estimating.estimates import Estimate, estimate
from runs.management.launches import PlainCommand
from runs.management.preset_launches import Part, add_arguments, of_planned_parts


class Command(PlainCommand):
    help = "Estimate the calls, tokens, cost, time and disk space of a launch. It takes the arguments of `launch`."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_arguments(parser)

    def handle(self, **options: Any) -> None:
        estimates = of_planned_parts(options, estimate)
        data = [{"name": part.title, "left_out": part.left_out} | totals.as_json() for part, totals in estimates]
        self.report(
            estimates[0][1].as_json() if options["preset"] is None else {"experiments": data},
            *(line for part, totals in estimates for line in (*_heading(part), *_lines(totals))),
            as_json=options["json"],
        )


def _heading(part: Part) -> list[str]:
    left_out = [f"left out by --scale: {part.left_out}"] if part.left_out else []
    return [f"{part.title}:", *left_out] if part.title else []


def _lines(totals: Estimate) -> list[str]:
    lines = [f"{counted(totals.runs, 'run,runs')}, at most {counted(totals.periods, 'period,periods')}"]
    if totals.calls:
        lines += [
            f"Calls: about {totals.calls:,}",
            f"Input tokens: {_about(totals.input_tokens, '{:,.0f}'.format)}",
            f"Output tokens: {_about(totals.output_tokens, '{:,.0f}'.format)}",
        ]
    if totals.cost_nano is None:
        lines.append(f"Cost: not known, because no price is known for {', '.join(totals.unpriced)}")
    else:
        lines.append(f"Cost: {_about(totals.cost_nano, lambda nano: money(round(nano)))}")
    prices = {
        "single calls": totals.by_call_nano,
        "by batch, within 24 hours": totals.by_batch_nano,
        "by flex, slower": totals.by_flex_nano,
    }
    if price_texts := [f"{way}: about {money(round(cost.expected))}" for way, cost in prices.items() if cost]:
        lines.append(f"Price of {'; '.join(price_texts)}")
    most = totals.open_bytes.high
    return [
        *lines,
        f"Time: {_about(totals.seconds, duration)}",
        f"Disk: {_about(totals.kept_bytes, disk)}{f', and at most {disk(most)} more during the runs' if most else ''}",
        totals.basis,
        *filter(None, [totals.why_wide]),
        *(change.sentence for change in totals.price_changes),
    ]


def _about(spread: EstimatedRange, formatted: Callable[[float], str]) -> str:
    span = reach(formatted(spread.low), formatted(spread.high))
    return f"about {formatted(spread.expected)}" + (f" ({span})" if span else "")
