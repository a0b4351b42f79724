"""Parsers for the text answers of the tools.

Histories grow to hundreds of kilobytes and are parsed every period, so this uses regular expressions and JSON, which are
faster than a parser of Python literals.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, NamedTuple

Plan = dict[str, int]

_ATTEMPT = re.compile(r"^Attempt (\d+):\n", re.MULTILINE)
_PROPOSED = re.compile(r"proposed: (\{.*\})")
_SUPPORTS = re.compile(r"supports ([\d.]+) workers and incurs cost of [\d.]+")
_PROBLEM = re.compile(
    r"Problem with assignment: worker (\w+) was matched to task \w+ and worker \w+ was assigned to (\w+)\."
)
_OFFER = re.compile(
    r"^- (\w+): (?:\[additional upfront cost \$(?P<upfront>[\d.]+)\] )?"
    r"(?:\[minimum order quantity (?P<minimum>\d+)\] )?\$(?P<price>[\d.]+) for (?P<contents>.*)$",
    re.MULTILINE,
)
_ITEM = re.compile(r"(\d+) units? of (([A-Z]+)\d+)")
_JOB = re.compile(
    r"^\t?Worker (\w+) did Task \w+ \(size (\d+)\) and was paid \$([\d.]+)\. .*? the company earned \$([\d.]+) in revenue\. "
    r"Worker \w+'s total pay so far is \$([\d.]+)\.$",
    re.MULTILINE,
)
_TASK = re.compile(r"^Task (\w+) size = (\d+)$", re.MULTILINE)
_SALE = re.compile(r"^(\w+):\nPrice: (\S+)\nQuantity: (\S+)\nProfit: (\S+)\nCost: (\S+)$", re.MULTILINE)


@dataclass(frozen=True)
class MenuOffer:
    """One line of the menu. `categories` are the first letters of the names of its products."""

    id: str
    price_cents: int
    upfront_cents: int
    minimum: int
    contents: dict[str, int]
    categories: frozenset[str]

    def cost_cents(self, quantity: int) -> int:
        return self.upfront_cents + quantity * self.price_cents if quantity else 0

    def most(self, cents: int, owned: int = 0) -> int:
        """How many more copies `cents` can buy if the plan already has `owned`; 0 below the minimum quantity."""
        copies = max(0, cents - (0 if owned else self.upfront_cents)) // self.price_cents
        return copies if owned + copies >= self.minimum else 0


class Purchase(NamedTuple):
    """A plan without offers of quantity 0, and the workers it supports; None if the plan was invalid."""

    plan: Plan
    workers: float | None


class Sale(NamedTuple):
    """Result of one product in one period. Money and quantities are rounded to two decimals."""

    price: float
    quantity: float
    profit: float
    cost: float


class Job(NamedTuple):
    """One task done. `total_pay` is the worker's total pay after it."""

    worker: str
    size: int
    pay: float
    revenue: float
    total_pay: float


def unwrapped(text: str) -> str:
    """The value in a dictionary printed by `environments.prompts.sets`; other texts are returned unchanged."""
    if not text.startswith("{'"):
        return text
    value = text.partition(": ")[2][:-1]
    is_quoted = value[:1] in ("'", '"')
    return value[1:-1].encode("latin-1", "backslashreplace").decode("unicode_escape") if is_quoted else value


def attempts(history: str) -> list[str]:
    """The text of each attempt, in order."""
    return _ATTEMPT.split(history)[2::2]


def purchases(history: str) -> list[Purchase]:
    return [
        Purchase(
            {offer: count for offer, count in _proposed(text).items() if count},
            next((float(supported[1]) for supported in _SUPPORTS.finditer(text)), None),
        )
        for text in attempts(history)
    ]


def last_assignment(history: str) -> tuple[dict[str, str], list[tuple[str, str]]] | None:
    """The last assignment and the blocking pairs (worker, task) reported for it."""
    texts = attempts(history)
    return (_proposed(texts[-1]), _PROBLEM.findall(texts[-1])) if texts else None


def sales(history: str) -> list[dict[str, Sale]]:
    """For each attempt, the sale of each product."""
    return [
        {product: Sale(*map(float, numbers)) for product, *numbers in _SALE.findall(text)} for text in attempts(history)
    ]


def jobs(history: str) -> list[Job]:
    """Every task done so far, in order."""
    return [Job(worker, int(size), *map(float, money)) for worker, size, *money in _JOB.findall(history)]


def task_sizes(text: str) -> dict[str, int]:
    """The tasks of the current period with their sizes, in the order given."""
    return {task: int(size) for task, size in _TASK.findall(text)}


def rival_price(history: str) -> float | None:
    """The last price of the competitor, at the end of the history; None in the first period or without competitor."""
    return float(history.rpartition("Price: ")[2]) if "\nCompetitor 1's previous" in history else None


def menu(text: str) -> list[MenuOffer]:
    return [
        MenuOffer(
            id=line.group(1),
            price_cents=cents(line["price"]),
            upfront_cents=cents(line["upfront"] or "0"),
            minimum=int(line["minimum"] or 1),
            contents={name: int(count) for count, name, _ in _ITEM.findall(line["contents"])},
            categories=frozenset(letters for _, _, letters in _ITEM.findall(line["contents"])),
        )
        for line in _OFFER.finditer(text)
    ]


def cents(dollars: str) -> int:
    return round(float(dollars) * 100)


def ids(text: str) -> list[str]:
    """The identifiers in a printed list."""
    return re.findall(r"'(\w+)'", text)


def _proposed(text: str) -> dict[str, Any]:
    match = _PROPOSED.search(text)
    assert match is not None
    # The printed dict has only identifiers and numbers, so replacing the quotes makes it JSON.
    return json.loads(match.group(1).replace("'", '"'))  # type: ignore[no-any-return]
