"""The upper anchor: a clairvoyant baseline that knows all hidden values."""

from typing import Any

from agents.baselines.base import Baseline, Choice
from agents.baselines.random_actions import TOOL_ENVIRONMENTS
from environments.equality.economics import Company
from environments.procurement.optimum import optimum_at
from environments.scheduling.economics import Preferences


class Optimum(Baseline):
    """Plays the optimal action. In a litmus test an optimum exists only if the prompt gives a single goal.

    Efficiency versus equality: the allocation with the largest revenue, or under the equality prompt the equal one.
    Collusion: for two sellers the price with the largest joint profit, for one seller its optimal price.
    """

    slug = "optimum"
    title = "Clairvoyant optimum"
    description = "Knows everything hidden and takes the best action every period: the upper anchor."
    environments = TOOL_ENVIRONMENTS
    clairvoyant = True

    def choose(self, period: int) -> Choice:
        yield from ()
        return self._best_action(period), "I know everything that is hidden, and took the best action there is."

    def _best_action(self, period: int) -> dict[str, Any]:
        instance, parameters, reference = self.instance, self.instance.parameters, self.instance.reference
        match self.environment.name:
            case "procurement":
                optimum = optimum_at(instance, period)
                assert optimum is not None
                return dict(optimum["plan"])
            case "scheduling":
                tasks = [parameters["tasks"][task] for task in Preferences.of(instance, period).stable_matching()]
                return dict(zip(parameters["workers"], tasks, strict=True))
            case "pricing":
                return dict(zip(parameters["products"], reference["optimal_prices"][period], strict=True))
            case "efficiency_vs_equality":
                company, n = Company.of(instance), parameters["tasks_per_period"]
                worker_of = company.equal if self.variant == "equality" else company.efficient()
                workers = [parameters["workers"][i] for i in worker_of[period]]
                return dict(zip(parameters["tasks"][n * period : n * (period + 1)], workers, strict=True))
            case _:
                best = "single_agent_price" if self.variant == "single_agent" else "collusive_price"
                return dict.fromkeys(parameters["products"], reference[best])
