"""The filters of the litmus page."""

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from analysis.base.filters import BoardFilter, FilterPhrase
from analysis.base.table import AGENT, Kind
from analysis.models import BoardKind
from environments.generation import is_design
from environments.prompts.variants import AS_RUN, texts_label, texts_slug, variant_name
from environments.registry import ENVIRONMENTS, LITMUS_TESTS, generate
from infrastructure.text.formats import lowfirst

WHOLE, ALL = "whole", "all"
SCOPES = {WHOLE: "As in the paper", ALL: "Also shorter and custom runs"}
PARTS = ("litmus", "competency", "reliability")
STANDARD = "STANDARD"


@dataclass(frozen=True)
class LitmusFilter(BoardFilter):
    """The filters of the table, and two choices of what the charts show.

    scope: whether short runs and runs with custom settings count too, or the difficulty of the only design that counts
    experiment: the only experiment whose runs count; 0 means all
    variant: 'main' for the paper's prompts, 'as_run' for the texts that the experiments sent, 'main+SLUG' for own
        prompts of that slug, each with the competencies; empty for all, each in rows of its own
    agent: slug of the agent of the choice curves; empty means the first
    seed: the instance of the Pareto chart; None means all
    """

    kind: ClassVar[BoardKind] = BoardKind.LITMUS
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
        """The chosen prompt that is or derives from a built-in variant."""
        return variant_name(variant, self.own_prompt)

    def phrases(self) -> list[FilterPhrase]:
        own: list[FilterPhrase] = [(litmus_prompts(self.own_prompt), ("variant",))] if self.own_prompt else []
        if self.experiment:
            return [("one experiment", ("experiment",)), *own, *super().phrases()]
        scope = f"own design {self.scope}" if is_design(self.scope) else lowfirst(SCOPES[self.scope])
        return [(scope, ("scope",)), *own, *super().phrases()]


def litmus_prompts(slug: str) -> str:
    """'under the paper's prompts' or 'under own prompts concise, not the paper's' by a slug"""
    return f"under own prompts {slug}, not the paper's" if slug not in ("", AS_RUN) else f"under {texts_label(slug)}"


@cache
def whole_lengths() -> dict[tuple[str, str], int]:
    """Periods of a whole run by test and variant."""
    return {
        (test, variant): ENVIRONMENTS[test].periods_of(variant, generate(test, STANDARD, 0, with_reference=False))
        for test in LITMUS_TESTS
        for variant in ENVIRONMENTS[test].variants
    }
