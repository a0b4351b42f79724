"""The filters of leaderboards: those that all share, those of the benchmark table and those of the litmus page."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import date
from functools import cache
from typing import ClassVar
from urllib.parse import urlencode

from analysis.base.table import AGENT, DEFAULT_ROWS, Kind
from analysis.benchmark.table import OVERALL, BenchmarkColumn
from analysis.models import LeaderboardKind
from environments.base import PERIODS
from environments.generation import GENERATOR_LABELS, is_design
from environments.prompts.variants import AS_RUN, is_own, texts_label, texts_slug, variant_name
from environments.registry import BENCHMARKS, ENVIRONMENTS, LITMUS_TESTS, built_in_variants, generate
from infrastructure.text.formats import counted, lowfirst, span

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


@dataclass(frozen=True)
class LeaderboardFilter:
    """The filters of both kinds of leaderboards.

    A table has one generator only, because scores on instances of different generators are not comparable.

    agents: slugs of agents and baselines; () means all
    tag: id of a tag of runs or of their experiments
    mixed: 1 to pool runs of one agent that were played under different conditions, see analysis.base.selectors
    PAGE: name of the URL where all filters can be changed
    CHIPS, MORE: fields shown as chips, and rarely changed fields, which are folded away
    SORTS: keys of the columns; a minus before a key means descending
    KINDS: kinds of rows that can be shown; runs of other kinds are not reported as hidden
    OF_NAMED_AGENTS: whether the page is about `agents` only, so that runs of others are not reported as hidden
    """

    kind: ClassVar[LeaderboardKind]
    PAGE: ClassVar[str]
    CHIPS: ClassVar[tuple[str, ...]]
    MORE: ClassVar[tuple[str, ...]]
    SORTS: ClassVar[tuple[str, ...]]
    KINDS: ClassVar[tuple[str, ...]] = tuple(Kind)
    OF_NAMED_AGENTS: ClassVar[bool] = False

    rows: tuple[str, ...] = DEFAULT_ROWS
    generator: str = "published"
    start: date | None = None
    end: date | None = None
    tag: int | None = None
    mixed: int = 0
    agents: tuple[str, ...] = ()
    sort: str = AGENT

    @property
    def has_more(self) -> bool:
        """Whether a rarely changed filter differs from its default."""
        folded = {*self.MORE, "agents"} - {*self.CHIPS}
        return any(getattr(self, part.name) != part.default for part in fields(self) if part.name in folded)

    def query(self, base: LeaderboardFilter | None = None, **changes: object) -> str:
        """The query string of this filter with changes. Values equal to the default, or to `base`, are left out."""
        values = {part.name: changes.pop(part.name, getattr(self, part.name)) for part in fields(self)}
        defaults = {part.name: getattr(base, part.name) if base else part.default for part in fields(self)}
        changed = {name: value for name, value in values.items() if value != defaults[name] and value not in (None, "")}
        return urlencode(changed | changes, doseq=True)

    def phrases(self) -> list[FilterPhrase]:
        """The filters as short phrases, each with its fields. Most defaults are not mentioned."""
        phrases: list[FilterPhrase] = []
        if self.generator != "published":
            phrases.append((f"generator {GENERATOR_LABELS[self.generator]}", ("generator",)))
        if self.rows != type(self).rows:
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

    def describe(self) -> list[str]:
        return [text for text, _ in self.phrases()]

    def removable(self, base: LeaderboardFilter | None = None) -> list[tuple[str, str]]:
        """(text, query string without the filter) of every filter that differs from its default, or from `base`."""
        defaults = {part.name: getattr(base, part.name) if base else part.default for part in fields(self)}
        return [
            (text, self.query(base, **{name: defaults[name] for name in names}))
            for text, names in self.phrases()
            if any(getattr(self, name) != defaults[name] for name in names)
        ]


DIFFICULTIES = ("BASIC", "MEDIUM", "HARD")
NOT_THE_PAPERS = "own prompt, not the paper's"


@dataclass(frozen=True)
class TableFilter(LeaderboardFilter):
    """The filters of a benchmark table. A table has one variant and one number of periods only.

    chart: the environment of the figure below the table
    """

    kind: ClassVar[LeaderboardKind] = LeaderboardKind.BENCHMARK
    PAGE: ClassVar[str] = "analysis:leaderboard"
    CHIPS: ClassVar[tuple[str, ...]] = ("environments", "difficulties", "rows")
    MORE: ClassVar[tuple[str, ...]] = ("generator", "variant", "periods", "start", "end", "tag", "mixed")
    SORTS: ClassVar[tuple[str, ...]] = (AGENT, OVERALL, *(f"{e}.{d}" for e in BENCHMARKS for d in DIFFICULTIES))

    environments: tuple[str, ...] = BENCHMARKS
    difficulties: tuple[str, ...] = DIFFICULTIES
    variant: str = "main"
    periods: int = PERIODS
    sort: str = f"-{OVERALL}"
    chart: str = ""

    @property
    def columns(self) -> tuple[BenchmarkColumn, ...]:
        return tuple(BenchmarkColumn(e, d) for e in self.environments for d in self.difficulties)

    @property
    def fits_published(self) -> bool:
        """Whether the paper's scores have the same generator, variant and number of periods."""
        return (self.generator, self.periods) == ("published", PERIODS) and self.variant in ("main", AS_RUN)

    @property
    def chart_environment(self) -> str:
        return self.chart if self.chart in self.environments else self.environments[0]

    def phrases(self) -> list[FilterPhrase]:
        environments = ", ".join(map(environment_title, self.environments))
        all_levels = self.difficulties == DIFFICULTIES
        phrases: list[FilterPhrase] = [
            ("all environments" if self.environments == BENCHMARKS else environments, ("environments",)),
            ("all difficulties" if all_levels else ", ".join(self.difficulties), ("difficulties",)),
        ]
        if self.variant != "main":
            phrases.append((f"prompt {variant_label(self.variant)}", ("variant",)))
        if self.periods != PERIODS:
            phrases.append((f"{self.periods:,} periods", ("periods",)))
        return [*phrases, *super().phrases()]


def environment_title(environment: str) -> str:
    return ENVIRONMENTS[environment].title


def variant_label(variant: str) -> str:
    """A variant in words: 'told that there are 100 attempts (appendix F.2)', 'main+concise (own prompt, not the
    paper's)'.
    """
    return f"{variant} ({NOT_THE_PAPERS})" if is_own(variant) else dict(variant_choices()).get(variant, variant)


def variant_choices() -> list[tuple[str, str]]:
    """Every built-in prompt variant of the benchmarks, once."""
    variants: dict[str, str] = {}
    for environment in BENCHMARKS:
        for name, variant in built_in_variants(environment).items():
            variants.setdefault(name, variant.description)
    return list(variants.items())


WHOLE, ALL = "whole", "all"
SCOPES = {WHOLE: "As in the paper", ALL: "Also shorter and custom runs"}
PARTS = ("litmus", "competency", "reliability")
STANDARD = "STANDARD"


@dataclass(frozen=True)
class LitmusFilter(LeaderboardFilter):
    """The filters of the litmus table, and choices for its charts.

    scope: the runs that count: 'whole' for full-length runs of the paper's design, 'all' for shorter and custom runs
        too, or the difficulty of one own design
    experiment: the only experiment whose runs count; 0 means all
    variant: 'main' for the paper's prompts, 'as_run' for the texts that the experiments sent, 'main+SLUG' for own
        prompts of that slug; each includes the competency variants. Empty for all prompts, in separate rows
    agent: slug of the agent of the choice curves; empty means the first
    seed: the instance of the Pareto chart; None means all
    """

    kind: ClassVar[LeaderboardKind] = LeaderboardKind.LITMUS
    PAGE: ClassVar[str] = "analysis:litmus"
    CHIPS: ClassVar[tuple[str, ...]] = ("rows",)
    MORE: ClassVar[tuple[str, ...]] = ("generator", "variant", "scope", "start", "end", "tag", "mixed")
    SORTS: ClassVar[tuple[str, ...]] = (AGENT, *(f"{test}.{part}" for test in LITMUS_TESTS for part in PARTS))

    scope: str = WHOLE
    variant: str = "main"
    experiment: int = 0
    agent: str = ""
    seed: int | None = None

    @property
    def shows_published(self) -> bool:
        is_usual = self.generator == "published" and self.variant in ("main", AS_RUN) and not is_design(self.scope)
        return Kind.PUBLISHED in self.rows and is_usual and not self.experiment

    @property
    def own_prompt(self) -> str:
        return texts_slug(self.variant)

    def name_of(self, variant: str) -> str:
        """The variant as runs name it: the built-in variant, or the chosen own prompt that derives from it."""
        return variant_name(variant, self.own_prompt)

    def phrases(self) -> list[FilterPhrase]:
        own: list[FilterPhrase] = [(litmus_prompts(self.own_prompt), ("variant",))] if self.own_prompt else []
        if self.experiment:
            return [("one experiment", ("experiment",)), *own, *super().phrases()]
        scope = f"own design {self.scope}" if is_design(self.scope) else lowfirst(SCOPES[self.scope])
        return [(scope, ("scope",)), *own, *super().phrases()]


def litmus_prompts(slug: str) -> str:
    """The prompts of a slug in words: 'under the paper's prompts' or 'under own prompts concise, not the paper's'."""
    return f"under own prompts {slug}, not the paper's" if slug not in ("", AS_RUN) else f"under {texts_label(slug)}"


@cache
def whole_lengths() -> dict[tuple[str, str], int]:
    """The number of periods of a whole run, by (test, variant)."""
    return {
        (test, variant): ENVIRONMENTS[test].periods_of(variant, generate(test, STANDARD, 0, with_reference=False))
        for test in LITMUS_TESTS
        for variant in ENVIRONMENTS[test].variants
    }
