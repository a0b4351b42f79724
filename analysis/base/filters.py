"""The filters that all leaderboards share."""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Annotated, Any, ClassVar, Self
from urllib.parse import urlencode

from pydantic import BaseModel, ConfigDict, Field

from accounts.models import Organization
from analysis.base.table import AGENT, DEFAULT_ROWS, Kind
from environments.generation import GENERATOR_LABELS
from infrastructure.declared import Choices
from infrastructure.schemas import Plain
from infrastructure.text.formats import counted, span

ROW_LABELS = {
    Kind.OWN: "Our runs",
    Kind.BASELINE: "Baselines",
    Kind.OUTSIDE: "Outside agents",
    Kind.HUMAN: "People",
    Kind.IMPORTED: "Imported",
    Kind.PUBLISHED: "Published",
}

MIXED = {0: "Played otherwise: left out", 1: "Played otherwise: pooled"}

FilterPhrase = tuple[str, tuple[str, ...]]
"""A filter in words, and the fields that it is made of."""


NOT_THE_PAPERS = "own prompt, not the paper's"
MAX_ID = 2**62
MANY = 20
"""The most entries of a list in a filter."""

Rows = Annotated[
    tuple[Annotated[Plain, Choices(ROW_LABELS)], ...],
    Field(title="Sources", max_length=MANY, description="Kinds of rows that are shown."),
]
Sort = Annotated[
    Plain,
    Choices(),
    Field(max_length=80, description="The column to sort by; a leading minus sorts in descending order."),
]

COMPARED_ROWS: tuple[str, ...] = (*DEFAULT_ROWS, Kind.OUTSIDE, Kind.HUMAN)
"""Kinds of rows in a comparison. Its agents are named one by one, so outside agents and people are included."""


class Filter(BaseModel):
    """What a table, a figure or a page is about. Forms, query strings, the API and commands read the same fields.

    kind: of the tables that have the same fields
    PAGE: name of the URL where all fields can be changed
    PLAYS: environments whose runs count
    CHIPS: fields with several values, shown as chips
    MORE: rarely changed fields, which are folded away
    OF_NAMED_AGENTS: whether `agents` must be named
    TAKES_DESIGNS: whether the organization's own designs can be chosen; if not, designs in the query are ignored
    """

    model_config = ConfigDict(frozen=True)

    kind: ClassVar[str]
    PAGE: ClassVar[str]
    PLAYS: ClassVar[tuple[str, ...]]
    CHIPS: ClassVar[tuple[str, ...]] = ()
    MORE: ClassVar[tuple[str, ...]] = ()
    OF_NAMED_AGENTS: ClassVar[bool] = False
    TAKES_DESIGNS: ClassVar[bool] = True

    agents: Annotated[
        tuple[Plain, ...],
        Field(title="Agents", max_length=MANY, description="Slugs of the agents; all agents if left out."),
    ] = ()

    @classmethod
    def default(cls, name: str) -> Any:
        return cls.model_fields[name].default

    @classmethod
    def choices(
        cls, *, lengths: Iterable[int], designs: Sequence[str], prompts: Iterable[str]
    ) -> dict[str, list[tuple[Any, str]]]:
        """The values with labels of the fields whose values depend on the organization.

        lengths: numbers of periods of its runs
        designs: difficulties of its own designs
        prompts: names of its own prompts of the environments in PLAYS
        """
        return {}

    @classmethod
    def choices_of(cls, organization: Organization) -> dict[str, list[tuple[Any, str]]]:
        """Further values with labels of fields, which rows of the organization give."""
        return {}

    def with_values(self, **changes: object) -> Self:
        return self.model_copy(update=changes)

    def query(self, base: Self | None = None, **changes: object) -> str:
        """The query string of this filter with changes. Values equal to the default, or to `base`, are left out."""
        values = {name: changes.pop(name, value) for name, value in self}
        defaults = dict(base or type(self)())
        changed = {name: value for name, value in values.items() if value != defaults[name] and value not in (None, "")}
        return urlencode(changed | changes, doseq=True)

    @property
    def has_more(self) -> bool:
        """Whether a rarely changed filter differs from its default."""
        folded = {*self.MORE, "agents"} - {*self.CHIPS}
        return any(getattr(self, name) != self.default(name) for name in folded)

    def phrases(self) -> list[FilterPhrase]:
        """The filter as short phrases, each with its fields. Most defaults are not mentioned."""
        changed = [name for name, value in self if value != self.default(name)]
        return [
            (f"{type(self).model_fields[name].title or name}: {_text(getattr(self, name))}", (name,))
            for name in changed
        ]

    def describe(self) -> list[str]:
        return [text for text, _ in self.phrases()]

    def removable(self, base: Self | None = None) -> list[tuple[str, str]]:
        """(text, query string without the filter) of every filter that differs from its default, or from `base`."""
        defaults = dict(base or type(self)())
        return [
            (text, self.query(base, **{name: defaults[name] for name in names}))
            for text, names in self.phrases()
            if any(getattr(self, name) != defaults[name] for name in names)
        ]


def _text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


class LeaderboardFilter(Filter):
    """The filters of both kinds of leaderboards.

    A table has one generator only, because scores on instances of different generators are not comparable.

    SORTS: keys of the columns; a minus before a key means descending
    KINDS: kinds of rows that can be shown; runs of other kinds are not reported as hidden
    """

    SORTS: ClassVar[tuple[str, ...]]
    KINDS: ClassVar[tuple[str, ...]] = tuple(Kind)

    rows: Rows = DEFAULT_ROWS
    generator: Annotated[Plain, Choices(GENERATOR_LABELS), Field(title="Generator")] = "published"
    start: Annotated[date | None, Field(title="Launched from", description="Runs launched from this day on.")] = None
    end: Annotated[date | None, Field(title="to", description="Runs launched until this day.")] = None
    tag: Annotated[
        int | None,
        Field(
            title="Tag",
            ge=1,
            le=MAX_ID,
            description="Id of a tag: only runs that have it, or whose experiment has it.",
        ),
    ] = None
    mixed: Annotated[
        int,
        Choices(MIXED),
        Field(
            title="Conditions",
            ge=0,
            le=1,
            description="1: pool an agent's runs of different conditions; 0: leave out the rarer conditions.",
        ),
    ] = 0
    variant: Annotated[Plain, Choices(), Field(title="Prompt")] = "main"
    sort: Sort = AGENT

    @classmethod
    def choices(
        cls, *, lengths: Iterable[int], designs: Sequence[str], prompts: Iterable[str]
    ) -> dict[str, list[tuple[Any, str]]]:
        rows = [(kind.value, label) for kind, label in ROW_LABELS.items() if kind in cls.KINDS]
        return {"rows": rows, "sort": [(sign + key, key) for key in cls.SORTS for sign in ("", "-")]}

    @property
    def reported(self) -> "LeaderboardFilter":
        """The filter whose left-out runs are reported."""
        return self

    def phrases(self) -> list[FilterPhrase]:
        phrases: list[FilterPhrase] = []
        if self.generator != "published":
            phrases.append((f"generator {GENERATOR_LABELS[self.generator]}", ("generator",)))
        if self.rows != self.default("rows"):
            phrases.append(
                (", ".join(label.lower() for row, label in ROW_LABELS.items() if row in self.rows), ("rows",))
            )
        if self.tag:
            phrases.append(("one tag", ("tag",)))
        if self.mixed:
            phrases.append((MIXED[1].lower(), ("mixed",)))
        if self.agents:
            phrases.append((f"{counted(len(self.agents), 'agent,agents')} chosen", ("agents",)))
        if days := [day for day in (self.start, self.end) if day]:
            side = "launched" if len(days) == 2 else "from" if self.start else "to"
            phrases.append((f"{side} {span(days, '{0.day} {0:%b %Y}'.format)}", ("start", "end")))
        return phrases
