"""The filters of the litmus table and of comparisons of litmus scores."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Annotated, Any, ClassVar

from pydantic import Field

from analysis.base.filters import COMPARED_ROWS, MAX_ID, NOT_THE_PAPERS, FilterPhrase, LeaderboardFilter, Rows
from analysis.base.table import AGENT, Kind, LeaderboardKind
from environments.generation import MAX_SEED, difficulty_title, is_design
from environments.prompts.variants import AS_RUN, own_title, texts_label, texts_slug, variant_name
from environments.registry import ENVIRONMENTS, LITMUS_TESTS, generate
from infrastructure.declared import Choices, without_default
from infrastructure.schemas import Plain
from infrastructure.text.formats import lowfirst

WHOLE, ALL = "whole", "all"
SCOPES = {WHOLE: "As in the paper", ALL: "Also shorter and custom runs"}
PARTS = ("litmus", "competency", "reliability")
STANDARD = "STANDARD"


class LitmusFilter(LeaderboardFilter):
    """The filters of the litmus table, and choices for its charts.

    variant: empty for all prompts, each in rows of its own
    """

    kind: ClassVar[LeaderboardKind] = LeaderboardKind.LITMUS
    PAGE: ClassVar[str] = "analysis:litmus"
    PLAYS: ClassVar[tuple[str, ...]] = LITMUS_TESTS
    CHIPS: ClassVar[tuple[str, ...]] = ("rows",)
    MORE: ClassVar[tuple[str, ...]] = ("generator", "variant", "scope", "start", "end", "tag", "mixed")
    SORTS: ClassVar[tuple[str, ...]] = (AGENT, *(f"{test}.{part}" for test in LITMUS_TESTS for part in PARTS))

    scope: Annotated[
        Plain, Choices(), Field(title="Runs", description=f"{', '.join(SCOPES)} or the name of one of your designs.")
    ] = WHOLE
    variant: Annotated[
        Plain,
        Choices(),
        Field(
            title="Prompt",
            description="`main`: the paper's prompts; `as_run`: the texts that the experiments sent; `main+SLUG`: own "
            "prompts of that slug. Each includes the competencies.",
        ),
    ] = "main"
    test: Annotated[
        Plain,
        Choices({test: ENVIRONMENTS[test].title for test in LITMUS_TESTS}),
        Field(
            title="Test",
            description="Litmus test that the page shows; the first with a run if left out.",
            json_schema_extra=without_default,
        ),
    ] = ""
    experiment: Annotated[
        int, Field(ge=0, le=MAX_ID, description="Number of an experiment: only its runs; 0 for all experiments.")
    ] = 0
    agent: Annotated[
        Plain,
        Field(
            max_length=200, description="Slug of the agent whose choice curves the figure shows; empty for the first."
        ),
    ] = ""
    seed: Annotated[
        int | None,
        Field(ge=0, le=MAX_SEED, description="Only runs with this seed in the Pareto plane; all seeds if left out."),
    ] = None

    @classmethod
    def choices(
        cls, *, lengths: Iterable[int], designs: Sequence[str], prompts: Iterable[str]
    ) -> dict[str, list[tuple[Any, str]]]:
        slugs = sorted({texts_slug(prompt) for prompt in prompts})
        return super().choices(lengths=lengths, designs=designs, prompts=prompts) | {
            "scope": [*SCOPES.items(), *((name, f"Own design {name}") for name in designs)],
            "variant": [
                ("main", "the paper's prompts"),
                (AS_RUN, "the texts that the experiments sent"),
                *((variant_name("main", slug), f"{own_title.get()(slug)} ({NOT_THE_PAPERS})") for slug in slugs),
            ],
        }

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
        scope = f"own design {difficulty_title(self.scope)}" if is_design(self.scope) else lowfirst(SCOPES[self.scope])
        return [(scope, ("scope",)), *own, *super().phrases()]


class CompareLitmusFilter(LitmusFilter):
    """The filter of a comparison of litmus tests. The litmus scores under the main prompt are compared."""

    PAGE: ClassVar[str] = "analysis:compare-litmus"
    CHIPS: ClassVar[tuple[str, ...]] = ("agents",)
    OF_NAMED_AGENTS: ClassVar[bool] = True

    rows: Rows = COMPARED_ROWS


def litmus_prompts(slug: str) -> str:
    """The prompts of a slug in words: 'under the paper's prompts' or 'under own prompts concise, not the paper's'."""
    return (
        f"under own prompts {own_title.get()(slug)}, not the paper's"
        if slug not in ("", AS_RUN)
        else f"under {texts_label(slug)}"
    )


@cache
def whole_lengths() -> dict[tuple[str, str], int]:
    """The number of periods of a whole run, by (test, variant)."""
    return {
        (test, variant): ENVIRONMENTS[test].periods_of(variant, generate(test, STANDARD, 0, with_reference=False))
        for test in LITMUS_TESTS
        for variant in ENVIRONMENTS[test].variants
    }
