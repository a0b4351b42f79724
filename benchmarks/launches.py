"""How long a launch of a thousand runs takes the web process, for every environment and difficulty.

    python benchmarks/launches.py

Uses a data folder of its own. Seconds of this process's own time by Django's test client: the form's preview, the launch by
the form, and POST /api/v1/experiments. Each run has an instance of its own, the worst case.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ["ECONEVALS_DATA_DIR"] = tempfile.mkdtemp(prefix="econevals-launches.")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "econevals_site.settings")

import django  # noqa: E402

django.setup()

from django.conf import settings  # noqa: E402
from django.db import transaction  # noqa: E402
from django.test import Client  # noqa: E402
from django.utils import timezone  # noqa: E402

from api.models import Scope  # noqa: E402
from api.services import personal_token_create  # noqa: E402
from environments.registry import GENERATION  # noqa: E402
from runs.bootstrap import ensure_organization, migrate_if_needed  # noqa: E402
from runs.launching.plan import plays  # noqa: E402

SEEDS = 1_000


def main() -> None:
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}
    settings.ALLOWED_HOSTS = ["testserver"]
    migrate_if_needed()
    organization, _ = ensure_organization(allow_environment_keys=False)
    owner = organization.memberships.select_related("organization", "user").get()
    person = Client()
    person.force_login(owner.user)
    tomorrow = timezone.now() + timedelta(days=1)
    scopes = [Scope.READ, Scope.LAUNCH]
    with transaction.atomic():
        _, token = personal_token_create(actor=owner, name="launches", scopes=scopes, expires_at=tomorrow)
    program = Client(headers={"authorization": f"Bearer {token}"})
    baselines = list(organization.agents.exclude(baseline=""))
    first = 0
    print(f"{'environment':<36}{'difficulty':<12}{'preview':>9}{'form':>9}{'API':>9}")
    for environment, generation in GENERATION.items():
        agent = next(agent.slug for agent in baselines if plays(agent, environment))
        for difficulty in generation.difficulties:
            form = {"environments": environment, "difficulties": difficulty, "agents": agent, "variants": "main"}
            form |= {"generator": "published", "reasoning_wording": "auto"}
            seeds = [f"{start}-{start + SEEDS - 1}" for start in (first, first + SEEDS)]
            first += 2 * SEEDS
            typed = form | {"seeds": seeds[0]}
            preview = seconds(lambda typed=typed: person.post("/experiments/new/preview/", typed), 200)
            launch = seconds(lambda typed=typed: person.post("/experiments/new/", typed), 302)
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


if __name__ == "__main__":
    main()
