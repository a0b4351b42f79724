"""The filters of the benchmark table."""

from dataclasses import dataclass
from typing import ClassVar

from analysis.base.filters import BoardFilter, FilterPhrase
from analysis.base.table import AGENT
from analysis.benchmark.table import OVERALL, BenchmarkColumn
from analysis.models import BoardKind
from environments.base import PERIODS
from environments.prompts.variants import AS_RUN, is_own
from environments.registry import BENCHMARKS, ENVIRONMENTS, built_in_variants

DIFFICULTIES = ("BASIC", "MEDIUM", "HARD")
NOT_THE_PAPERS = "own prompt, not the paper's"


@dataclass(frozen=True)
class TableFilter(BoardFilter):
    """A table also has one variant and one number of periods only.

    chart: the environment of the figure below the table
    """

    kind: ClassVar[BoardKind] = BoardKind.BENCHMARK
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
    """'told that there are 100 attempts (appendix F.2)', 'main+concise (own prompt, not the paper's)'"""
    return f"{variant} ({NOT_THE_PAPERS})" if is_own(variant) else dict(variant_choices()).get(variant, variant)


def variant_choices() -> list[tuple[str, str]]:
    """Every built-in prompt variant of the benchmarks, once."""
    variants: dict[str, str] = {}
    for environment in BENCHMARKS:
        for name, variant in built_in_variants(environment).items():
            variants.setdefault(name, variant.description)
    return list(variants.items())
