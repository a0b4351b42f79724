from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from agents.prices import PriceList
from infrastructure.text.formats import price
from runs.catalog import catalog, current_models, maker_url, today
from runs.list_prices import SOURCE, package_price
from runs.management.launches import PlainCommand, add_json_argument


class Command(PlainCommand):
    help = "Compare the catalog of models with the installed price list. Prints the rows that differ."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_json_argument(parser)

    def handle(self, **options: Any) -> None:
        lines = [*_papers(), *_current()]
        self.report(lines, *(lines or [f"The catalog agrees with {SOURCE}."]), as_json=options["json"])


def _papers() -> Iterator[str]:
    """Sentences on the models of the papers that are not in the price list, which supplies their prices."""
    return (
        f"{row['model']}: {SOURCE} does not have it."
        for row in catalog()["llms"]
        if package_price("openai-compatible", maker_url(row["provider"]), row["model"]) is None
    )


def _current() -> Iterator[str]:
    for row in current_models():
        listed, prices = package_price("openai-compatible", row.maker_url, row.model), row.prices_on(today())
        if listed is None:
            yield f"{row.model}: {SOURCE} does not have it."
            continue
        if prices is not None and (catalog_text := _prices_text(prices)) != (list_text := _prices_text(listed.prices)):
            yield f"{row.model}: the catalog has {catalog_text}; {SOURCE} has {list_text}."
        if row.context and listed.context and row.context != listed.context:
            yield f"{row.model}: the catalog has {row.context:,} tokens of context; {SOURCE} has {listed.context:,}."


def _prices_text(prices: PriceList) -> str:
    """Format prices: '$2.00/$10.00, above 272,000 $4.00/$15.00'. The catalog has no cache prices, so they are left out."""
    tiers = (f"above {above:,} {price(rates.input)}/{price(rates.output)}" for above, rates in prices.tiers)
    return ", ".join((f"{price(prices.base.input)}/{price(prices.base.output)}", *tiers))
