"""The launches under faults: two priced agents, one for each wire format, in every kind of game."""

from dataclasses import replace
from decimal import Decimal

# Dollars per million tokens of input, cached input and output, by model.
PRICES = {"house-openai": ("2.5", "0.25", "10"), "house-anthropic": ("3", "0.3", "15")}
NANO_PER_TOKEN = {model: tuple(int(Decimal(p) * 1000) for p in prices) for model, prices in PRICES.items()}
WIRES = {"openai": "openai-compatible", "anthropic": "anthropic"}
BENCHMARKS = ("procurement", "scheduling", "pricing")
SURVEY = {"one_month": 0, "six_months": 0, "one_year": 1, "five_years": 0}


def cost_nano(model, fresh, cached, output):
    """The price of a query in billionths of a dollar, as the provider's bill has it."""
    prices = NANO_PER_TOKEN[model]
    return fresh * prices[0] + cached * prices[1] + output * prices[2]


def agents_made(organization, urls):
    """The two agents behind the stub, made where they are not there yet."""
    from accounts.services.endpoints import endpoint_create
    from runs.models import Agent
    from runs.services.agents import agent_create

    made = []
    for wire, provider in WIRES.items():
        model = f"house-{wire}"
        agent = Agent.objects.filter(organization=organization, model=model).first()
        if agent is None:
            endpoint = endpoint_create(
                organization=organization, name=wire, provider=provider, base_url=urls[wire], key=f"sk-stub-{wire}-0001"
            )
            fresh, cached, output = map(Decimal, PRICES[model])
            prices = {"input_price": fresh, "cached_price": cached, "output_price": output}
            agent = agent_create(organization=organization, name=model, endpoint=endpoint, model=model, **prices)
        made.append(agent)
    return made


def plans(agents, *, periods=12, seeds=1, litmus=6, repetitions=4, only=()):
    """The launches of one batch: the benchmarks, a market of two, a survey.

    periods: of each benchmark; seeds: of the benchmarks; litmus: periods of the market, 0 for neither it nor the survey
    repetitions: of each question of the survey
    only: environments to keep, all where it is empty
    """
    from runs.launching.plan import LaunchPlan

    both, one = tuple(agents), (agents[0],)
    first, asked = (0,), SURVEY | {"repetitions": repetitions}
    made = [LaunchPlan(BENCHMARKS, ("BASIC",), tuple(range(seeds)), both, periods=periods)]
    if litmus:
        made.append(LaunchPlan(("collusiveness_vs_competitiveness",), ("STANDARD",), first, one, periods=litmus))
        made.append(LaunchPlan(("patience_vs_impatience",), ("CUSTOM",), first, both, settings=asked))
    if not only:
        return made
    kept = ((plan, tuple(name for name in plan.environments if name in only)) for plan in made)
    return [replace(plan, environments=names, agents=one) for plan, names in kept if names]
