"""Measures the launch of a thousand runs in the web process, for every environment and difficulty.

    python -m benchmarks launches

Prints processor seconds of this process, with Django's test client: the form's preview, the launch by the form, and
POST /api/v1/experiments. Each run has its own instance, which is the worst case.
"""

import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from api.models import Scope
from api.services import personal_token_create
from benchmarks.own_site import client_of, first_owner, program_of
from environments.registry import GENERATION
from runs.launching.plan import plays

SEEDS = 1_000


def main() -> None:
    owner = first_owner()
    person = client_of(owner)
    tomorrow = timezone.now() + timedelta(days=1)
    with transaction.atomic():
        scopes = [Scope.READ, Scope.LAUNCH]
        _, token = personal_token_create(actor=owner, name="launches", scopes=scopes, expires_at=tomorrow)
    program = program_of(token)
    baselines = list(owner.organization.agents.exclude(baseline=""))
    first = 0
    print(f"{'environment':<36}{'difficulty':<12}{'preview':>9}{'form':>9}{'API':>9}")
    for environment, generation in GENERATION.items():
        agent = next(agent.slug for agent in baselines if plays(agent, environment))
        for difficulty in generation.difficulties:
            seeds = [f"{start}-{start + SEEDS - 1}" for start in (first, first + SEEDS)]
            first += 2 * SEEDS
            form = {"environments": environment, "difficulties": difficulty, "agents": agent, "variants": "main"}
            form |= {"generator": "published", "reasoning_wording": "auto", "seeds": seeds[0]}
            preview = seconds(lambda form=form: person.post("/experiments/new/preview/", form), 200)
            launch = seconds(lambda form=form: person.post("/experiments/new/", form), 302)
            body: dict[str, Any] = {"environments": [environment], "difficulties": [difficulty], "agents": [agent]}
            body |= {"seeds": seeds[1]}
            api = seconds(
                lambda body=body: program.post("/api/v1/experiments", body, content_type="application/json"), 201
            )
            print(f"{environment:<36}{difficulty:<12}{preview:>9.2f}{launch:>9.2f}{api:>9.2f}")


def seconds(ask: Callable[[], Any], status: int) -> float:
    started = time.process_time()
    answer = ask()
    assert answer.status_code == status, (answer.status_code, answer.content[:2000])
    return time.process_time() - started
