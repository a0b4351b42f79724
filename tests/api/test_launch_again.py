"""The page of an experiment shows its launch as a command line and as a call of the API."""

from __future__ import annotations

import html
import json
import re
import shlex
from collections.abc import Callable
from typing import Any

import pytest

from runs.models import Experiment
from tests.api.conftest import Program

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"seeds": (0, 1, 2, 7), "variants": ("main",), "periods": None},
        {"difficulties": ("CUSTOM",), "settings": {"products": 2, "nests": 1}, "run_budget_nano": 1_250_000_000},
        {"environments": ("pricing", "scheduling"), "generator": "paper_text", "reasoning_wording": "on"},
    ],
)
def test_the_call_on_the_page_launches_the_same(
    owning: Program, client: Any, alice: Any, launch: Callable[..., Any], options: dict[str, Any]
) -> None:
    experiment = launch("random", **options)
    name = "It's a “test” $(rm -rf) </pre>"
    Experiment.objects.filter(pk=experiment.pk).update(name=name, budget_nano=2_500_000_000)
    client.force_login(alice)
    page = client.get(f"/experiments/{experiment.pk}/").content.decode()
    call = html.unescape(re.search(r'<pre id="again-call">(.*?)</pre>', page, re.DOTALL).group(1))
    words = shlex.split(call.replace("\\\n", " "))
    assert words[:2] == ["curl", "http://testserver/api/v1/experiments"]
    assert f"Idempotency-Key: again-{experiment.pk}" in words
    made = owning.post("/experiments", json.loads(words[-1]))
    assert made.status_code == 201, made.content
    again = Experiment.objects.get(pk=made.json()["id"])
    assert (again.spec, again.name, again.budget_nano) == (experiment.spec, name, 2_500_000_000)
    command = html.unescape(re.search(r'<pre id="again-command">(.*?)</pre>', page, re.DOTALL).group(1))
    assert shlex.split(command)[:3] == ["python", "manage.py", "launch"] and name in shlex.split(command)
