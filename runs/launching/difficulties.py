"""The difficulties of a launch: those of the papers, CUSTOM with its settings, and the organization's designs."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from accounts.models import Organization
from environments.base import InvalidSettings
from environments.generation import CUSTOM, is_design
from environments.registry import ENVIRONMENTS, GENERATION
from runs.models import Design
from runs.selectors.designs import offered_designs


def difficulty_names() -> list[str]:
    """The difficulties of all environments, with CUSTOM last. Those of designs are not among them."""
    return [*dict.fromkeys(name for generation in GENERATION.values() for name in generation.difficulties), CUSTOM]


def designs_called(organization: Organization, difficulties: Iterable[str]) -> tuple[Design, ...]:
    """The designs among these difficulties that launches may use."""
    design_names = {name for name in difficulties if is_design(name)}
    offered = offered_designs(organization=organization) if design_names else ()
    return tuple(design for design in offered if design.difficulty in design_names)


def settings_of(
    environment: str, difficulty: str, custom: Mapping[str, Any] | None, designs: Iterable[Design]
) -> Mapping[str, Any] | None:
    """The settings of a difficulty; None if the environment has no such difficulty. custom: the settings of CUSTOM"""
    if difficulty == CUSTOM:
        return custom or {}
    own = {design.difficulty: design.ordered_settings for design in designs if design.environment == environment}
    return own.get(difficulty, GENERATION[environment].difficulties.get(difficulty))


def difficulty_errors(
    environments: Sequence[str],
    difficulties: Sequence[str],
    custom: Mapping[str, Any] | None,
    designs: Sequence[Design],
) -> dict[str, str]:
    """A sentence for the field `difficulties` or for each wrong setting of CUSTOM; empty if nothing is wrong."""
    known_names = [*difficulty_names(), *(design.difficulty for design in designs)]
    unknown = [name for name in difficulties if name not in known_names]
    if absent := [name for name in unknown if is_design(name)]:
        return {"difficulties": f"There is no design {absent[0]} here, or it is archived."}
    for name in environments:
        if all(settings_of(name, difficulty, custom, designs) is None for difficulty in difficulties):
            title, own = ENVIRONMENTS[name].title, ", ".join(GENERATION[name].difficulties)
            return {"difficulties": f"{title} has no difficulty {', '.join(difficulties)}; it has {own}."}
    if unknown:
        return {"difficulties": f"There is no difficulty {unknown[0]!r}."}
    for design in designs:
        if design.environment not in environments:
            title = ENVIRONMENTS[design.environment].title
            return {"difficulties": f"{design.difficulty} is a design of {title}. Choose {title} too."}
    if CUSTOM not in difficulties:
        return {}
    if len(environments) != 1:
        return {"difficulties": "A custom difficulty goes with one environment at a time."}
    try:
        GENERATION[environments[0]].checked(custom or {})
    except InvalidSettings as error:
        return error.errors
    return {}
