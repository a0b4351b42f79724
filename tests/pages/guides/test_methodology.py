"""The methodology names every metric, and only functions that exist."""

import re
from importlib import import_module

import pytest

from agents.baselines.registry import BASELINES
from agents.episode import play_baseline
from environments.registry import ENVIRONMENTS, generate
from pages.guides.collection import FOLDER, PARTS
from pages.guides.markup import anchor_of
from tests.data_folders import ROOT

TEXT = "\n".join((FOLDER / f"{name}.md").read_text(encoding="utf-8") for name in PARTS)
PACKAGES = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}
CODE = re.compile(r"`([a-z_]+(?:\.\w+)+)(?:\([^`]*)?`")


def found(name):
    """The object of a dotted name of the project. Raises if it does not exist."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            thing = import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            thing = getattr(thing, part)
        return thing
    raise ModuleNotFoundError(name)


def test_every_function_in_the_methodology_exists():
    named = [name for name in CODE.findall(TEXT) if name.partition(".")[0] in PACKAGES]
    assert len(named) > 60
    for name in named:
        assert found(name) is not None, name


def paragraphs_of(title):
    """The text below the heading of an environment."""
    return TEXT.partition(f"\n### {title}\n")[2].partition("\n### ")[0].partition("\n## ")[0]


def metrics(name):
    """Names of all metrics that the environment stores, under any variant: from a run of two periods of each."""
    environment, players = ENVIRONMENTS[name], [one for one in BASELINES.values() if name in one.environments]
    for variant in environment.variants:
        difficulty = "STANDARD" if environment.litmus else "BASIC"
        instance = generate(name, difficulty, 0)
        game = play_baseline(players[0], instance, environment, variant=variant, periods=2)
        yield from environment.metrics(instance, game.outcomes, 2)


@pytest.mark.sampled
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_every_metric_and_score_of_an_environment_has_its_paragraph(name):
    environment = ENVIRONMENTS[name]
    text = paragraphs_of(environment.title)
    assert {metric for metric in metrics(name) if f"`{metric}`" not in text} == set()
    parts = ("litmus", "competency", "reliability") if environment.litmus else ("score",)
    headings = {anchor_of(title) for title in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}
    assert {anchor_of(f"{environment.title} {part}") for part in parts} <= headings
    assert any(heading.startswith("instances-of") for heading in headings)


def test_every_paragraph_about_a_number_names_its_code():
    first = TEXT.partition("\n# Statistics")[0]
    for part in re.split(r"\n(?=####? )", first)[1:]:
        body = part.partition("\n## ")[0]
        assert CODE.search(body), body.splitlines()[0]
