"""Checks of a launch: difficulties, stages of a comparison, and models that can be asked at half the price."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from accounts.models import Organization
from agents.options import FLEX
from agents.providers.batches import batches_of
from agents.providers.makers import MAKERS
from environments.base import InvalidSettings
from environments.generation import CUSTOM, is_design
from environments.registry import ENVIRONMENTS, GENERATION, LITMUS_TESTS, SURVEYS, variant_of
from runs.engine.players import options_of
from runs.models import Agent, Design
from runs.selectors.designs import offered_designs
from stats.designs.sequential import FEWEST_STAGES, MOST_STAGES
from stats.paired import WILCOXON_FROM


def difficulty_names() -> list[str]:
    """The difficulties of all environments, with CUSTOM last. Designs are not included."""
    return [*dict.fromkeys(name for generation in GENERATION.values() for name in generation.difficulties), CUSTOM]


def designs_called(organization: Organization, difficulties: Iterable[str]) -> tuple[Design, ...]:
    """The designs among these difficulties, without archived ones."""
    design_names = {name for name in difficulties if is_design(name)}
    offered = offered_designs(organization=organization) if design_names else ()
    return tuple(design for design in offered if design.difficulty in design_names)


def settings_of(
    environment: str, difficulty: str, custom: Mapping[str, Any] | None, designs: Iterable[Design]
) -> Mapping[str, Any] | None:
    """The settings of a difficulty. None if the environment has no such difficulty. `custom`: the settings for CUSTOM."""
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
    """Errors by field: a sentence for `difficulties`, or for each wrong setting of CUSTOM. Empty if nothing is wrong."""
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
    if others := [design for design in designs if design.environment not in environments]:
        title = ENVIRONMENTS[others[0].environment].title
        return {"difficulties": f"{others[0].difficulty} is a design of {title}. Choose {title} too."}
    if CUSTOM not in difficulties:
        return {}
    if len(environments) != 1:
        return {"difficulties": "A custom difficulty goes with one environment at a time."}
    try:
        GENERATION[environments[0]].checked(custom or {})
    except InvalidSettings as error:
        return error.errors
    return {}


def length_error(periods: int | None, longest: int, environments: Iterable[str], variants: Iterable[str]) -> str:
    """Why runs cannot have this length, in one sentence. Empty if they can. longest: the longest run of a plan"""
    if periods is None:
        return ""
    if not 1 <= periods <= longest:
        return f"A run here has 1 to {longest} periods; leave it empty for as many as the papers play."
    games = ((variant, variant_of(name, variant).fewest_periods) for name in environments for variant in variants)
    too_short = next(((variant, fewest) for variant, fewest in games if periods < fewest), None)
    return "A run of {} has at least {} periods, since its world changes.".format(*too_short) if too_short else ""


MOST_POINTS = 100


def parse_stages(text: str) -> tuple[int, ...]:
    """Parse the seeds after each stage: '4, 8, 12' gives (4, 8, 12), empty text (). Raises ValueError with a sentence."""
    numbers = [word for word in re.split(r"[,;\s–-]+", text.strip()) if word]
    if wrong := [word for word in numbers if not re.fullmatch(r"\d{1,4}", word)]:
        raise ValueError(f"{wrong[0][:30]!r} is not a number of seeds; write stages such as 4, 8, 12.")
    return tuple(map(int, numbers))


def stages_error(stages: Sequence[int], seeds: int, agents: int, environments: Sequence[str], variants: int) -> str:
    """Why these stages do not fit a launch, in one sentence. Empty if they do.

    seeds, agents, variants: their numbers
    """
    if not FEWEST_STAGES <= len(stages) <= MOST_STAGES:
        return f"Give {FEWEST_STAGES} to {MOST_STAGES} stages, such as 4, 8, 12."
    litmus = [ENVIRONMENTS[name].title for name in environments if name in LITMUS_TESTS]
    errors = {
        "Each stage is a number of seeds, larger than the one before it, such as 4, 8, 12.": stages[0] < 1
        or any(later <= earlier for earlier, later in zip(stages, stages[1:], strict=False)),
        f"The last stage has all seeds: {seeds} are chosen and the last stage has {stages[-1]}.": stages[-1] != seeds,
        f"Stages compare two agents; {agents} {'is' if agents == 1 else 'are'} chosen.": agents != 2,
        f"Stages compare benchmark scores, and {''.join(litmus[:1])} is a litmus test.": bool(litmus),
        "Stages compare two agents under one prompt variant; choose one.": variants > 1,
    }
    return next((sentence for sentence, is_wrong in errors.items() if is_wrong), "")


def too_few_error(instances: int) -> str:
    """Why there are too few instances for stages, in one sentence. Empty if there are enough."""
    sentence = f"The test of a comparison needs at least {WILCOXON_FROM} instances; these stages have {instances}."
    return sentence if instances < WILCOXON_FROM else ""


def has_batches(agent: Agent) -> bool:
    """Whether an agent can be asked by batch: its model must be at OpenAI's or Anthropic's own address."""
    return agent.endpoint is not None and not agent.is_baseline and batches_of(options_of(agent)) is not None


def has_flex(agent: Agent) -> bool:
    """Whether an agent may be asked by flex: its model must be at OpenAI's own address.

    Whether the model has this tier is known only after its first call.
    """
    if agent.endpoint is None or agent.is_baseline:
        return False
    maker = MAKERS[agent.endpoint.provider]
    return FLEX in maker.tiers and maker.is_own(agent.endpoint.base_url)


def flex_error(agents: Sequence[Agent], rival: Agent | None, *, batch: bool) -> str:
    """Why a launch cannot use flex, in one sentence. Empty if it can. Baselines play as usual."""
    if batch:
        return "A batch is at half the price already; choose one of the two."
    models = [agent for agent in (*agents, rival) if agent is not None and not agent.is_baseline]
    for agent in models:
        if not has_flex(agent):
            return f"{agent.name} is not asked by flex: its endpoint is not OpenAI's own."
        if "service_tier" in agent.extra_parameters:
            return f"{agent.name} names a service_tier among its extra parameters; leave it out there to choose flex."
    return "" if models else "Only models are asked by flex, and none is chosen."


def batch_error(environments: Sequence[str], agents: Sequence[Agent]) -> str:
    """Why a launch cannot use batches, in one sentence. Empty if it can. Baselines play as usual."""
    models = [agent for agent in agents if not agent.is_baseline]
    if others := [ENVIRONMENTS[name].title for name in environments if name not in SURVEYS]:
        return f"Only surveys are asked by batch, and {others[0]} is not a survey."
    if without_batches := [agent.name for agent in models if not has_batches(agent)]:
        return f"{without_batches[0]} is not asked by batch: its endpoint is not OpenAI's or Anthropic's own."
    return "" if models else "Only models are asked by batch, and none is chosen."
