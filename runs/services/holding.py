"""What a launch holds until its runs are stored: agents, designs and own prompts, which can no longer change afterwards."""

from runs.launching.plan import LaunchError, LaunchPlan
from runs.models import Agent, Design, PromptVariant
from runs.services.agents import locked_agents


def plan_hold(*, plan: LaunchPlan) -> None:
    """Lock the plan's designs and own prompts. Raises LaunchError if one has changed since the plan was made."""
    _hold_designs(plan)
    _hold_prompts(plan)


def agents_hold(*, plan: LaunchPlan) -> dict[int, Agent]:
    """Lock the plan's agents, because an agent with runs is frozen. Raises LaunchError if one was deleted meanwhile."""
    playing = {run.agent.pk for run in plan.runs}
    agents = locked_agents().order_by("pk").in_bulk(playing)
    if agents.keys() != playing:
        raise LaunchError({"agents": "An agent was deleted a moment ago. Look at the agents, and launch again."})
    return agents


def _hold_designs(plan: LaunchPlan) -> None:
    numbers = [design.pk for design in plan.designs]
    rows = Design.objects.select_for_update(no_key=True).filter(pk__in=numbers, archived_at=None).order_by("pk")
    now = {row.pk: (row.slug, row.settings) for row in rows}
    for design in plan.designs:
        if now.get(design.pk) != (design.slug, design.settings):
            sentence = f"The design {design.difficulty} was changed a moment ago. Look at it, and launch again."
            raise LaunchError({"difficulties": sentence})


def _hold_prompts(plan: LaunchPlan) -> None:
    numbers = [prompt.pk for prompt in plan.prompts.values()]
    rows = PromptVariant.objects.select_for_update(no_key=True).filter(pk__in=numbers, archived_at=None).order_by("pk")
    now = {row.pk: (row.variant, row.version) for row in rows}
    for prompt in plan.prompts.values():
        if now.get(prompt.pk) != (prompt.variant, prompt.version):
            sentence = (
                f"The prompt {prompt.variant} was changed, archived or deleted meanwhile. Look at it, then launch."
            )
            raise LaunchError({"variants": sentence})
