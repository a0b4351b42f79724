"""Is A better than B on pricing HARD? Three clicks on the leaderboard answer it."""

RUNS = """
from accounts.models import Organization
from environments.generation import Recipe
from environments.registry import GENERATION
from runs.models import Agent, Experiment, Instance, Run

organization = Organization.objects.get()
experiment = Experiment.objects.create(organization=organization, name="Pricing HARD", spec={})
agents = [
    Agent.objects.create(organization=organization, slug=name.lower(), name=name, model=name) for name in ("Abel", "Cain")
]
settings = GENERATION["pricing"].difficulties["HARD"]
for seed in range(8):
    instance = Instance.undrawn(organization, Recipe("pricing", "HARD", seed, "published", settings))
    instance.save()
    for agent, score in zip(agents, (0.3 + seed / 50, 0.4 + seed / 20)):
        Run.objects.create(
            organization=organization, experiment=experiment, instance=instance, agent=agent, state="finished",
            score=score, prompt_version="1", config={}, periods_played=100,
        )
"""


def test_three_clicks_answer_a_comparison_of_two_agents(site, page):
    site.run(RUNS)
    page.goto(f"{site.address}/leaderboard/?environments=pricing&difficulties=HARD")
    page.get_by_role("checkbox", name="Abel").check()
    page.get_by_role("checkbox", name="Cain").check()
    page.get_by_role("button", name="Compare the ticked agents").click()
    answer = page.get_by_role("region", name="Answers")
    answer.get_by_text("Abel scores 20.5 points less than Cain: evidence of a difference.").wait_for()
    numbers = page.get_by_role("region", name="Numbers", exact=True).locator("tbody").inner_text().split("\t")
    assert numbers[2:4] == ["8", "−20.5"] and "to" in numbers[4]
    page.locator(".chart .main-svg").first.wait_for()
