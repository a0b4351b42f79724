"""The number of queries of an answer does not grow with its content."""

import pytest

from runs.models import Note, Period, Run
from tests.prompts import prompt_of

CALLER = 1
"""The token with its organization and person, and the membership."""


TWIN = ("organization", "experiment", "instance", "agent", "prompt_version", "config")
QUERIES = {
    "/me": 0,
    "/experiments": 2,
    "/experiments/{experiment}": 3,
    "/experiments/{experiment}/ledger": 3,
    "/runs": 1,
    "/runs?experiment={experiment}&agent=random": 3,
    "/runs/{run}": 1,
    "/runs/{run}/periods": 2,
    "/runs/{run}/periods/1": 3,
    "/runs/{run}/notes": 2,
    "/leaderboards/benchmark": 9,
    "/behaviour": 11,
    "/leaderboards/litmus": 7,
    "/leaderboards": 1,
    "/leaderboards/{leaderboard}": 6,
    "/compare/runs?run={run}&run={second}": 3,
    "/agents/random/history": 2,
    "/agents": 1,
    "/endpoints": 1,
    "/prompts": 1,
    "/prompts/{prompt}": 1,
    "/instances": 1,
    "/instances/{instance}": 1,
    "/designs": 1,
    "/designs/{design}": 2,
}


@pytest.mark.long
@pytest.mark.parametrize("number", [2, 30])
def test_query_counts_of_lists_and_objects_do_not_grow(owning, launch, saved, number, django_assert_num_queries):
    for seed in range(number):
        run = launch("random", "gpt-5", seeds=(seed,)).runs.first()
    for index in range(number):
        Period.objects.create(run=run, index=index, action={}, result={})
        Note.objects.create(run=run, period_index=index, seat="seat_0", order=0, text="Hm.")
    owning.get("/me")
    twin = Run.objects.create(**{name: getattr(run, name) for name in TWIN})
    ids = {"experiment": run.experiment_id, "run": run.pk, "instance": run.instance_id, "leaderboard": saved("Ours").pk}
    ids["second"] = twin.pk
    ids["prompt"] = [prompt_of(run.organization, slug=f"try-{place}") for place in range(number)][-1].pk
    settings = {"products": 2, "nests": 1}
    designs = [owning.post("/designs", {"environment": "pricing", "name": f"D {place}", "settings": settings})
               for place in range(number)]  # fmt: skip
    ids["design"] = designs[0].json()["id"]
    for path, queries in QUERIES.items():
        with django_assert_num_queries(CALLER + queries, info=path):
            assert owning.send("GET", path.format(**ids)).status_code == 200, path


@pytest.mark.long
def test_query_counts_of_token_pages_do_not_grow(page, program, django_assert_num_queries):
    for number in (1, 9):
        for _ in range(number):
            program()
        for path in ("/account/tokens/", "/organization/tokens/"):
            with django_assert_num_queries(6):
                assert page.get(path).status_code == 200
