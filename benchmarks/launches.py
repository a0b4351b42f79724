"""Measures the launch of a thousand runs in the web process, for every environment and difficulty.

    python -m benchmarks launches

Prints processor seconds of this process, with Django's test client: the form's preview, the launch by the form, and
POST /api/v1/experiments. Each run has its own instance, which is the worst case.
"""

from datetime import timedelta
from itertools import count
from typing import Any

from django.test import Client
from django.utils import timezone

from api.models import Scope
from api.services import personal_token_create
from benchmarks.harness import spending
from benchmarks.own_site import client_of, first_owner, program_of
from environments.registry import GENERATION
from runs.launching.plan import plays

SEEDS = 1_000


def main() -> None:
    owner = first_owner()
    person = client_of(owner)
    tomorrow = timezone.now() + timedelta(days=1)
    _, token = personal_token_create(
        actor=owner, name="launches", scopes=[Scope.READ, Scope.LAUNCH], expires_at=tomorrow
    )
    program = program_of(token)
    baselines = list(owner.organization.agents.exclude(baseline=""))
    first = count(0, SEEDS)
    print(f"{'environment':<36}{'difficulty':<12}{'preview':>9}{'form':>9}{'API':>9}")
    for environment, generation in GENERATION.items():
        agent = next(agent.slug for agent in baselines if plays(agent, environment))
        for difficulty in generation.difficulties:
            by_form, by_api = (f"{start}-{start + SEEDS - 1}" for start in (next(first), next(first)))
            form = {"environments": environment, "difficulties": difficulty, "agents": agent, "variants": "main"}
            form |= {"generator": "published", "reasoning_wording": "auto", "seeds": by_form}
            body = {name: [form[name]] for name in ("environments", "difficulties", "agents")} | {"seeds": by_api}
            preview = seconds(200, person, "/experiments/new/preview/", form)
            launch = seconds(302, person, "/experiments/new/", form)
            api = seconds(201, program, "/api/v1/experiments", body, content_type="application/json")
            print(f"{environment:<36}{difficulty:<12}{preview:>9.2f}{launch:>9.2f}{api:>9.2f}")


def seconds(status: int, client: Client, path: str, body: Any, **options: str) -> float:
    with spending() as spent:
        answer = client.post(path, body, **options)
    assert answer.status_code == status, (answer.status_code, answer.content[:2000])
    return spent.processor
