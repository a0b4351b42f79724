"""Measures how much the runs of a thinking model add to the database, during a period and permanently.

    python -m benchmarks storage [--thinking 20000] [--periods 10]

Two emulated models play every game except the survey, with `--thinking` characters of thinking in each reply. One returns
the thinking encrypted with a summary, the other as text. The history of notes and data is not stored with a call.
Encrypted reasoning is deleted when its period ends. The measure is the size of used pages of the database file, which
includes indexes, but not the search index.
"""

import random
from dataclasses import replace
from typing import Any

from django.db import connection
from django.db.models import F, Sum
from django.db.models.functions import Coalesce, Length

from benchmarks.harness import ROOT
from benchmarks.own_site import first_owner
from environments.registry import ENVIRONMENTS, GENERATION
from environments.survey import Survey
from runs.models import Exchange
from tests.cast import launched, model_of, play_all
from tests.emulators.families import FAMILIES
from tests.emulators.player import RotePlayer
from tests.emulators.server import Emulator

SUMMARY = 1_500
PROSE = (ROOT / "docs" / "methodology.md").read_text(encoding="utf-8")


def pages() -> int:
    """Return the bytes of the used pages of the database file."""
    with connection.cursor() as cursor:
        size, pages, free = (
            cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_size", "page_count", "freelist_count")
        )
    return int(size * (pages - free))


def open_period() -> tuple[int, int]:
    """Return the number of answered calls of the current period, and the bytes of their replies."""
    calls = Exchange.objects.filter(period_index=F("run__periods_played"), reply__isnull=False)
    return calls.count(), calls.aggregate(size=Coalesce(Sum(Length("reply")), 0))["size"]


def thinker(characters: int) -> Any:
    """Return a simple player whose replies hold `characters` characters of English as thinking."""
    rote, chance = RotePlayer(one_by_one=True), random.Random(0)

    def play(view: Any) -> Any:
        tokens = PROSE.split(" ")
        chance.shuffle(tokens)
        return replace(rote(view), thinking=" ".join(tokens)[:characters])

    return play


def measured(organization: Any, agent: Any, emulator: Any, environment: str, periods: int) -> list[float]:
    """Play a run, and return a row of figures.

    These are: calls; output tokens per call; for the largest period while it is played, bytes per call and in total;
    bytes that stay in the database per call.
    """
    most = [(0, 0)]
    difficulty = next(iter(GENERATION[environment].difficulties))
    game = {"environments": (environment,), "difficulties": (difficulty,), "periods": periods}
    experiment = launched(organization, [agent], name=f"{agent.name} {environment}", **game)
    before = pages()

    def look(number: int, body: Any) -> None:
        most.append(open_period())
        connection.close()

    emulator.fault = look
    play_all(experiment)
    run = experiment.runs.get()
    assert run.state == "finished", run.reason
    calls, held = max(most)
    return [run.queries, run.output_tokens / run.queries, held / calls, held, (pages() - before) / run.queries]


def main(*, thinking: int = 20_000, periods: int = 10) -> None:
    organization = first_owner().organization
    print(f"{'':<50}{'calls':>7}{'tokens/call':>13}{'open B/call':>13}{'open B':>11}{'kept B/call':>13}")
    for name, visible_thinking in (("gpt-6.2-sol", SUMMARY), ("deepseek-v4-pro", thinking)):
        with Emulator(replace(FAMILIES[name], sealed=thinking), thinker(visible_thinking)) as emulator:
            prices = {"input_price": 2, "output_price": 10}
            agent = model_of(organization, name, name, emulator.base_url, reasoning=True, **prices)
            for environment, environment_class in ENVIRONMENTS.items():
                if not issubclass(environment_class, Survey):
                    row = measured(organization, agent, emulator, environment, periods)
                    print(f"{name + ' ' + environment:<50}{row[0]:>7.0f}" + "".join(f"{n:>12,.0f} " for n in row[1:]))
