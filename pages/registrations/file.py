"""The file of a study: what is launched, what is asked, and how each question is answered. Pure, without a database."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints

from environments.registry import EXAMPLE
from infrastructure.schemas import In, Plain
from runs.launching.plan import LaunchError
from runs.launching.request import Difficulty, Environment, LaunchIn, Variant, checked, read_yaml

MOST_BYTES = 64_000
"""A JSON text takes up to 12 bytes for a character, so that the API's limit of 1 MiB is not reached first."""

MOST_LAUNCHES, MOST_QUESTIONS = 20, 50


def _not_empty(text: str) -> str:
    if not text.strip():
        raise ValueError("This must not be empty.")
    return text


Text = Annotated[Plain, Field(max_length=2_000), AfterValidator(_not_empty)]
Name = Annotated[Plain, StringConstraints(max_length=60), AfterValidator(_not_empty)]
Slug = Annotated[Plain, Field(max_length=200)]


class QuestionIn(In):
    """A question and the test or estimate that answers it."""

    name: Name
    """Name of the question, different from those of the others."""
    about: Annotated[Plain, Field(max_length=2_000)] = ""
    """The hypothesis in words."""
    kind: Literal["compare", "mean", "stages"]
    """`compare`: the paired difference of two agents. `mean`: the mean score of each agent with its interval. `stages`:
    the comparison of a launch in stages."""
    agents: Annotated[list[Slug], Field(max_length=20)] = []
    """Slugs of agents that the launches play. A difference is the second one's score minus the first one's."""
    environments: Annotated[list[Environment], Field(max_length=20)] = []
    difficulties: Annotated[list[Difficulty], Field(max_length=20)] = []
    variant: Variant = "main"
    direction: Literal["two-sided", "second-higher", "first-higher"] = "two-sided"
    """The expected direction of a difference. The test is two-sided in any case."""
    tests: Literal["pooled", "each"] = "pooled"
    """`pooled`: one test over all environments and difficulties. `each`: one test for each pair of both."""
    instances: Annotated[int | None, Field(ge=1, le=10_000)] = None
    """The fixed number of instances in each test, at which playing stops. Needed except for `stages`."""
    launch: Annotated[int | None, Field(ge=1, le=MOST_LAUNCHES)] = None
    """For `stages`: the number of the launch, counted from 1."""


class StudyIn(In):
    """A study: its hypotheses, its launches, and the questions that it will answer."""

    title: Annotated[Plain, Field(max_length=200), AfterValidator(_not_empty)]
    authors: Annotated[list[Text], Field(max_length=100)] = []
    hypotheses: Annotated[list[Text], Field(max_length=50)] = []
    correction: Literal["holm", "none"] = "holm"
    """`holm`: the p values of all comparisons are adjusted together. `none`: each test has its own 5 %."""
    launches: Annotated[list[LaunchIn], Field(min_length=1, max_length=MOST_LAUNCHES)]
    questions: Annotated[list[QuestionIn], Field(min_length=1, max_length=MOST_QUESTIONS)]


@dataclass(frozen=True)
class StudyFile:
    """A study that was read. text: the file as it is, whose bytes in UTF-8 have the hash `sha256`"""

    study: StudyIn
    text: str

    @property
    def sha256(self) -> str:
        return sha256_of(self.text.encode())


def sha256_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def read_study(content: bytes) -> StudyFile:
    """Read a study. Raises LaunchError with a sentence for each error, by its path in the file such as `questions.0.kind`."""
    document = read_yaml(content, MOST_BYTES)
    if not isinstance(document, dict):
        raise LaunchError({"file": "The file has no fields such as title, launches and questions."})
    for launch in _items(document.get("launches")):
        if type(launch.get("seeds")) is int:
            launch["seeds"] = str(launch["seeds"])
    study = checked(StudyIn, document)
    errors: dict[str, str] = {}
    for path, sentence in _errors(study):
        errors.setdefault(path, f"{path}: {sentence}")
    if errors:
        raise LaunchError(errors)
    return StudyFile(study, content.decode())


def _items(value: Any) -> list[dict[Any, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _errors(study: StudyIn) -> Iterator[tuple[str, str]]:
    names = [question.name for question in study.questions]
    for index, question in enumerate(study.questions):
        path = f"questions.{index}"
        if question.name in names[:index]:
            yield f"{path}.name", f"Another question is named {question.name} too."
        fields = _stages_errors(question, study) if question.kind == "stages" else _errors_of(question)
        yield from ((f"{path}.{field}", sentence) for field, sentence in fields)
    tests = [question for question in study.questions if question.kind != "mean"]
    staged = [question for question in tests if question.kind == "stages"]
    if study.correction == "holm" and staged and len(tests) > 1:
        yield (
            "correction",
            "A comparison in stages has a verdict at 5 % and no p value that Holm's method could adjust. "
            "Ask it as the only test, or write correction: none.",
        )
    launches = [question.launch for question in staged]
    if len(set(launches)) < len(launches):
        yield "questions", "Two questions are about the same launch in stages."


def _errors_of(question: QuestionIn) -> Iterator[tuple[str, str]]:
    count = len(question.agents)
    if question.kind == "compare" and (count != 2 or len(set(question.agents)) != 2):
        yield "agents", "A comparison has exactly two different agents."
    if question.kind == "mean" and (not count or len(set(question.agents)) != count):
        yield "agents", "Give at least one agent, each once."
    if question.kind == "mean" and question.direction != "two-sided":
        yield "direction", "A mean has no direction."
    for field in ("environments", "difficulties"):
        values = getattr(question, field)
        if not values or len(set(values)) < len(values):
            yield field, "Give at least one, each once."
    if question.instances is None:
        yield "instances", "Give the number of instances at which playing stops."
    if question.launch is not None:
        yield "launch", "Only a question of the kind stages names its launch."


def _stages_errors(question: QuestionIn, study: StudyIn) -> Iterator[tuple[str, str]]:
    for field in ("agents", "environments", "difficulties", "instances"):
        if getattr(question, field):
            yield field, "A question of the kind stages takes this from its launch."
    if question.variant != "main" or question.tests != "pooled":
        yield "kind", "A question of the kind stages takes variant and tests from its launch."
    if question.launch is None or question.launch > len(study.launches):
        yield "launch", f"Give the number of a launch, from 1 to {len(study.launches)}."
    elif not study.launches[question.launch - 1].stages:
        yield "launch", f"Launch {question.launch} has no stages."


STUDY_EXAMPLE = f"""\
# A study of EconEvals: bin/econevals study FILE. The file is stored with its hash before its first run, and only the
# runs that it launches are evidence. docs/registrations.md explains each field.
title: Does tracking pay in {EXAMPLE}?
authors: [Ada Example]
hypotheses:
  - An agent that tracks the drift of the optimum earns more than one that keeps its price.
correction: holm
launches:
  - environments: [{EXAMPLE}]
    difficulties: [BASIC, HARD]
    seeds: 0-11
    agents: [pricing-constant, pricing-drift-tracker]
    budget_usd: 5
questions:
  - name: tracking pays
    about: The drift tracker scores more than the constant price, over both difficulties.
    kind: compare
    agents: [pricing-constant, pricing-drift-tracker]
    environments: [{EXAMPLE}]
    difficulties: [BASIC, HARD]
    direction: second-higher
    tests: pooled
    instances: 24
  - name: level of the tracker
    kind: mean
    agents: [pricing-drift-tracker]
    environments: [{EXAMPLE}]
    difficulties: [BASIC, HARD]
    tests: each
    instances: 12
"""
