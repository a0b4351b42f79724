"""The filters of the benchmark table and of comparisons of benchmarks."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, ClassVar

from pydantic import Field

from analysis.base.filters import COMPARED_ROWS, MANY, NOT_THE_PAPERS, FilterPhrase, LeaderboardFilter, Rows, Sort
from analysis.base.table import AGENT, OVERALL, BenchmarkColumn, LeaderboardKind
from environments.base import PERIODS
from environments.generation import difficulty_title
from environments.prompts.variants import AS_RUN, is_own, prompt_title
from environments.registry import BENCHMARKS, ENVIRONMENTS, built_in_variants
from infrastructure.declared import Choices, without_default
from infrastructure.schemas import Plain
from runs.launching.request import Variant

DIFFICULTIES = ("BASIC", "MEDIUM", "HARD")
TITLES = {name: ENVIRONMENTS[name].title for name in BENCHMARKS}


class TableFilter(LeaderboardFilter):
    """The filters of a benchmark table. A table has one variant and one number of periods only."""

    kind: ClassVar[str] = LeaderboardKind.BENCHMARK
    PAGE: ClassVar[str] = "analysis:leaderboard"
    PLAYS: ClassVar[tuple[str, ...]] = BENCHMARKS
    CHIPS: ClassVar[tuple[str, ...]] = ("environments", "difficulties", "rows")
    MORE: ClassVar[tuple[str, ...]] = ("generator", "variant", "periods", "start", "end", "tag", "mixed")
    SORTS: ClassVar[tuple[str, ...]] = (AGENT, OVERALL, *(f"{e}.{d}" for e in BENCHMARKS for d in DIFFICULTIES))

    environments: Annotated[
        tuple[Annotated[Plain, Choices(TITLES)], ...], Field(title="Environments", max_length=MANY)
    ] = BENCHMARKS
    difficulties: Annotated[
        tuple[Plain, ...],
        Field(
            title="Difficulties",
            max_length=MANY,
            description=f"Any of {', '.join(DIFFICULTIES)} and your own designs, such as `CUSTOM%2BTIGHT`.",
        ),
    ] = DIFFICULTIES
    variant: Annotated[Variant, Choices(), Field(title="Prompt")] = "main"
    periods: Annotated[
        int,
        Choices(),
        Field(title="Periods", ge=1, le=1_000_000, description="Only runs with this number of periods."),
    ] = PERIODS
    sort: Sort = f"-{OVERALL}"
    chart: Annotated[
        Plain,
        Choices(TITLES),
        Field(
            description="The environment of the figure below the table; the first of `environments` if left out.",
            json_schema_extra=without_default,
        ),
    ] = ""

    @classmethod
    def choices(
        cls, *, lengths: Iterable[int], designs: Sequence[str], prompts: Iterable[str]
    ) -> dict[str, list[tuple[Any, str]]]:
        shared = super().choices(lengths=lengths, designs=designs, prompts=prompts)
        sorts = [f"{environment}.{name}" for environment in BENCHMARKS for name in designs]
        return shared | {
            "difficulties": [(name, difficulty_title(name)) for name in (*DIFFICULTIES, *designs)],
            "periods": [(n, f"{n:,} periods") for n in sorted({PERIODS, *lengths})],
            "variant": [*variant_choices(), *((prompt, variant_label(prompt)) for prompt in prompts)],
            "sort": [*shared["sort"], *((sign + key, key) for key in sorts for sign in ("", "-"))],
        }

    @property
    def columns(self) -> tuple[BenchmarkColumn, ...]:
        return tuple(BenchmarkColumn(e, d) for e in self.environments for d in self.difficulties)

    @property
    def varying(self) -> str:
        """The field whose value may differ between runs, since it is what is compared; empty if there is none."""
        return ""

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
            (
                "all difficulties" if all_levels else ", ".join(map(difficulty_title, self.difficulties)),
                ("difficulties",),
            ),
        ]
        if self.variant != "main":
            phrases.append((f"prompt {variant_label(self.variant)}", ("variant",)))
        if self.periods != PERIODS:
            phrases.append((f"{self.periods:,} periods", ("periods",)))
        return [*phrases, *super().phrases()]


def environment_title(environment: str) -> str:
    return ENVIRONMENTS[environment].title


def environment_name(environment: str) -> str:
    """The short title of an environment, for tabs: 'Collusion'."""
    return ENVIRONMENTS[environment].short_title or environment_title(environment)


def variant_label(variant: str) -> str:
    """A variant in words: 'told that there are 100 attempts (appendix F.2)', 'Be concise (own prompt, not the paper's)'."""
    return (
        f"{prompt_title(variant)} ({NOT_THE_PAPERS})"
        if is_own(variant)
        else dict(variant_choices()).get(variant, variant)
    )


def variant_choices() -> list[tuple[str, str]]:
    """Every built-in prompt variant of the benchmarks, once."""
    variants: dict[str, str] = {}
    for environment in BENCHMARKS:
        for name, variant in built_in_variants(environment).items():
            variants.setdefault(name, variant.description)
    return list(variants.items())


class CompareFilter(TableFilter):
    """The filter of a comparison of benchmarks. `agents` are in the order in which they are compared."""

    PAGE: ClassVar[str] = "analysis:compare"
    CHIPS: ClassVar[tuple[str, ...]] = ("agents", "environments", "difficulties")
    OF_NAMED_AGENTS: ClassVar[bool] = True

    rows: Rows = COMPARED_ROWS
