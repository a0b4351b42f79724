"""Tables of all environments by name, with their declarations. To add an environment, add its folder and two lines here."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from environments import collusion, equality, patience, pricing, procurement, scheduling
from environments.base import Environment, Instance
from environments.changes.largest import largest_changes
from environments.changes.rules import STRATEGY_CHANGED, Course
from environments.declarations import ScoreFormat, Variant
from environments.findings import Evaluation, FinishedRun, Rule, apply_rules
from environments.generation import Attempts, Generation, Recipe
from environments.prompts.sets import as_run_prompts
from environments.prompts.variants import AS_RUN, base_variant, is_own, texts_label, texts_slug, variant_name
from environments.shared_findings import NOTES_UNCHANGED
from environments.shocks import OURS
from environments.survey import Survey

ENVIRONMENTS: dict[str, type[Environment]] = {
    "procurement": procurement.Procurement,
    "scheduling": scheduling.Scheduling,
    "pricing": pricing.Pricing,
    "efficiency_vs_equality": equality.EfficiencyVersusEquality,
    "collusiveness_vs_competitiveness": collusion.CollusivenessVersusCompetitiveness,
    "patience_vs_impatience": patience.Patience,
}

GENERATION: dict[str, Generation] = {
    "procurement": procurement.GENERATION,
    "scheduling": scheduling.GENERATION,
    "pricing": pricing.GENERATION,
    "efficiency_vs_equality": equality.GENERATION,
    "collusiveness_vs_competitiveness": collusion.GENERATION,
    "patience_vs_impatience": patience.GENERATION,
}

ATTEMPTS: dict[str, Attempts] = {"procurement": procurement.ATTEMPTS}
"""Further attempts to compute references that need a proof. In all other environments the first reference is final."""

RULES: dict[str, tuple[Rule, ...]] = {
    "procurement": procurement.RULES,
    "scheduling": scheduling.RULES,
    "pricing": pricing.RULES,
    "efficiency_vs_equality": equality.RULES,
    "collusiveness_vs_competitiveness": collusion.RULES,
    "patience_vs_impatience": patience.RULES,
}
"""The rules for findings of finished runs, by environment. An environment without an entry has only the rules about notes."""

COURSES: dict[str, Course] = {
    "procurement": procurement.COURSE,
    "scheduling": scheduling.COURSE,
    "pricing": pricing.COURSE,
    "efficiency_vs_equality": equality.COURSE,
    "collusiveness_vs_competitiveness": collusion.COURSE,
    "patience_vs_impatience": patience.COURSE,
}
"""The series of actions and results, by environment. An environment without an entry has only the quality of each period."""

RULES_BY_KEY = {rule.key: rule for rules in RULES.values() for rule in rules}
"""All rules by key. A rule of several environments has the same title in each."""

SECTIONS = {name: environment.litmus.section for name, environment in ENVIRONMENTS.items() if environment.litmus}
LITMUS_TESTS = tuple(sorted(SECTIONS, key=SECTIONS.__getitem__))
"""The litmus tests in the order of the paper's tables."""

BENCHMARKS = tuple(name for name in ENVIRONMENTS if name not in SECTIONS)

MARKETS = tuple(name for name, environment in ENVIRONMENTS.items() if len(environment.seats_of("main")) > 1)
"""Environments with more than one seat."""

SURVEYS = tuple(name for name, environment in ENVIRONMENTS.items() if issubclass(environment, Survey))
"""Environments without tools. Their questions may be asked in any order."""

EXAMPLE = "pricing"
"""The environment that the API documentation uses in its examples."""


@cache
def built_in_variants(environment: str) -> Mapping[str, Variant]:
    """The variants of an environment by name. Each also occurs with the texts that the experiments sent."""
    declared = ENVIRONMENTS[environment].variants
    if not as_run_prompts(ENVIRONMENTS[environment].prompt_set):
        return declared
    return {**declared} | {
        variant_name(name, AS_RUN): replace(variant, description=f"{variant.description}, in {texts_label(AS_RUN)}")
        for name, variant in declared.items()
    }


def variant_names() -> list[str]:
    """The built-in prompt variants of all environments."""
    return list(dict.fromkeys(name for environment in ENVIRONMENTS for name in built_in_variants(environment)))


def variant_labels() -> list[tuple[str, str]]:
    """(name, label) of every built-in variant, for forms."""
    return [(name, _label(name)) for name in variant_names()]


def _label(variant: str) -> str:
    base = base_variant(variant)
    is_ours = any(variant_of(name, base).settings for name in ENVIRONMENTS)
    readable = base.replace("_", " ") + (f" ({OURS})" if is_ours else "")
    return f"{readable}, as the experiments sent it" if texts_slug(variant) else readable


def variant_of(environment: str, variant: str) -> Variant:
    """The declaration of a variant, or for an own variant of the built-in one. Defaults if the variant no longer exists."""
    variants = ENVIRONMENTS[environment].variants if environment in ENVIRONMENTS else {}
    return variants.get(base_variant(variant), Variant(""))


def variant_label(environment: str, variant: str) -> str:
    """A label: 'one seller alone', 'own prompt main+concise, not the paper's' or 'main prompt, in the texts that ...'."""
    if is_own(variant):
        return texts_label(variant)
    base, slug = base_variant(variant), texts_slug(variant)
    label = variant_of(environment, base).label or f"{base.replace('_', ' ')} prompt"
    return f"{label}, in {texts_label(slug)}" if slug else label


def is_unusual(environment: str, variant: str) -> bool:
    """Whether a variant has other texts or another world than the newest paper, so that pages always name it."""
    return bool(texts_slug(variant) or variant_of(environment, variant).settings)


def rules_of(environment: str) -> tuple[Rule, ...]:
    return RULES.get(environment, (NOTES_UNCHANGED, STRATEGY_CHANGED))


def evaluate_run(run: FinishedRun) -> Evaluation:
    """Apply the rules of its environment to a finished run, and find its largest changes."""
    environment = run.instance.environment
    changes = largest_changes(COURSES.get(environment, Course()), run)
    return replace(apply_rules(rules_of(environment), run), changes=changes)


def is_final(environment: str, reference: Mapping[str, Any] | None) -> bool:
    """Whether a reference needs no proof or is proven. False if it needs a proof and there is no reference yet."""
    attempts = ATTEMPTS.get(environment)
    return attempts is None or (bool(reference) and attempts.is_proven(reference or {}))


def score_meanings(names: Iterable[str]) -> dict[str, str]:
    """Map the titles of environments to the meaning of their scores. Environments that no longer exist are left out."""
    return {ENVIRONMENTS[name].title: ENVIRONMENTS[name].score_meaning for name in names if name in ENVIRONMENTS}


def score_format(environment: str, variant: str = "main") -> ScoreFormat:
    return variant_of(environment, variant).score


def under(variant: str, recipe: Recipe) -> Recipe:
    """The recipe of the instance that a variant plays: with the settings of the variant, such as its shock."""
    more = variant_of(recipe.environment, variant).settings
    return replace(recipe, settings=recipe.settings | dict(sorted(more.items()))) if more else recipe


def variant_with(environment: str, settings: Mapping[str, Any]) -> str:
    """The built-in variant whose settings an instance has; 'main' if it has none of a variant."""
    variants = ENVIRONMENTS[environment].variants if environment in ENVIRONMENTS else {}
    fitting = (name for name, each in variants.items() if each.settings and each.settings.items() <= settings.items())
    return next(fitting, "main")


def generate(
    environment: str,
    difficulty: str,
    seed: int,
    generator: str = "published",
    *,
    variant: str = "main",
    settings: Mapping[str, Any] | None = None,
    with_reference: bool = True,
) -> Instance:
    """Generate the instance that a variant of a named environment plays. Settings and errors as in `Generation.recipe`."""
    generation = GENERATION[environment]
    recipe = generation.recipe(environment, difficulty, seed, generator, settings)
    return generation.drawn(under(variant, recipe), with_reference=with_reference)
