"""The leaderboard at a glance: 25 rows on a screen, ranks with whiskers, and a comparison that begins with a tick."""

import pytest
from playwright.sync_api import expect

RUNS = """
import random
from accounts.models import Organization
from environments.generation import Recipe
from environments.registry import BENCHMARKS, GENERATION
from runs.models import Agent, Experiment, Instance, Run

organization, rng = Organization.objects.get(), random.Random(1)
experiment = Experiment.objects.create(organization=organization, name="Boards", spec={})
instances = [
    Instance.undrawn(organization, Recipe(name, level, seed, "published", GENERATION[name].difficulties[level]))
    for name in BENCHMARKS for level in ("BASIC", "MEDIUM", "HARD") for seed in range(900, 906)
]
Instance.objects.bulk_create(instances)
for number in range(18):
    agent = Agent.objects.create(
        organization=organization, slug=f"board-{number}", name=f"Board model {number}", model=f"b-{number}",
        input_price=1, output_price=2,
    )
    Run.objects.bulk_create(
        Run(organization=organization, experiment=experiment, instance=instance, agent=agent, state="finished",
            score=rng.random(), prompt_version="1", config={}, periods_played=100, cost_nano=10**9 + number)
        for instance in instances
    )
"""


@pytest.fixture
def board(site, page):
    site.run(RUNS)
    page.goto(f"{site.address}/leaderboard/")
    return page


def test_twenty_five_rows_fit_in_900_pixels_and_each_takes_one_line(board):
    board.set_viewport_size({"width": 1440, "height": 900})
    rows = board.locator("table.board tbody tr:not(.row-group)")
    assert rows.count() >= 25
    boxes = [rows.nth(index).bounding_box() for index in range(25)]
    assert {round(box["height"]) for box in boxes} == {24}
    head = board.locator("table.board thead").bounding_box()
    assert boxes[-1]["y"] + boxes[-1]["height"] - head["y"] <= 720, "a page head and its filters take the rest of 900"
    assert board.get_by_text("Agents with all 9 columns").is_visible()
    assert rows.locator(".mean-axis .whisker").count() >= 18
    first = rows.first.locator("td.rank")
    assert first.get_attribute("title").startswith("Rank 1 of ")
    whole = board.evaluate("document.documentElement.scrollHeight")
    assert whole < 2_600, "one chart is open, further figures are folded"

    # What compares agents appears with the first tick.
    compare = board.get_by_role("button", name="Compare the ticked agents")
    expect(compare).to_have_count(0)
    board.get_by_role("checkbox", name="Compare Board model 3", exact=True).check()
    expect(compare).to_have_count(1)

    board.set_viewport_size({"width": 390, "height": 844})
    scroll = board.locator(".board-scroll")
    scroll.evaluate("element => element.scrollLeft = 400")
    name = rows.first.locator("th.agent").bounding_box()
    assert abs(name["x"] - scroll.bounding_box()["x"]) <= 2, "the name stays while the columns scroll"
