"""A model of each family plays complete runs while workers are killed, with unchanged results."""

import json

import pytest

from tests.data_folders import run_on
from tests.emulators.families import FAMILIES
from tests.emulators.player import RotePlayer
from tests.emulators.server import Emulator
from tests.faults.site import Site
from tests.waiting import wait_until

pytestmark = [pytest.mark.long, pytest.mark.spread]

KILLS = 6
PERIODS = 100
LAUNCH = """
import json, sys
from accounts.models import Organization
from accounts.services import endpoint_create
from runs import bootstrap
from runs.launching.plan import LaunchPlan
from runs.services import agent_create, experiment_launch
from runs.services.catalog import catalog_install

about = json.loads({about!r})
owner, _ = bootstrap.ensure_organization(allow_environment_keys=False)
endpoint = endpoint_create(organization=owner, name="emulated", **about["endpoint"], key="sk-test-key-0001")
agent = agent_create(organization=owner, name="emulated", endpoint=endpoint, **about["agent"])
user = owner.memberships.get(role="owner").user
games = {{"environments": ("pricing", "procurement"), "difficulties": ("BASIC",), "seeds": (0,)}}
plan = LaunchPlan(**games, periods={periods}, agents=(agent,))
print(experiment_launch(organization=owner, user=user, plan=plan, name="families").pk)
"""
PLAYED = "SELECT coalesce(sum(periods_played), 0) FROM runs_run"
STATES = "SELECT DISTINCT state FROM runs_run"
REPEATED = "SELECT count(*) FROM runs_exchange WHERE state = 'lost'"
KEPT = ("environment", "period", "action", "outcome", "notes", "state", "score")


def results(folder, emulator, kills):
    """What the runs of the emulated model export, and how many calls were lost."""
    model = emulator.model
    provider = model.maker if model.maker in ("anthropic", "openai") else "openai-compatible"
    endpoint = {"provider": provider, "base_url": emulator.base_url}
    agent = {"model": model.id, "reasoning": model.reasons, "input_price": 2, "output_price": 10}
    if model.reasons and model.effort == "none":
        agent["reasoning_effort"] = "high"
    with Site(folder) as site:
        script = LAUNCH.format(about=json.dumps({"endpoint": endpoint, "agent": agent}), periods=PERIODS)
        experiment = int(run_on(folder, script, **{"DATABASE_URL": ""}).splitlines()[-1])
        whole = 2 * PERIODS
        for kill in range(kills + 1):
            site.start_worker()
            wanted = whole * (kill + 1) // (kills + 1)
            _wait(site, PLAYED, lambda rows, wanted=wanted: rows[0][0] >= wanted)
            if kill < kills:
                site.kill_worker()
        _wait(site, STATES, lambda rows: rows == [("finished",)])
        lost = site.rows(REPEATED)[0][0]
        rows = [{name: row[name] for name in KEPT} for row in site.export(experiment)]
    return sorted(rows, key=lambda row: (row["environment"], row["period"])), lost


def _wait(site, query, is_so):
    wait_until(lambda: is_so(site.rows(query)), lambda: str(site.rows(STATES)), every=0.05)


@pytest.mark.parametrize("name", FAMILIES)
def test_kills_change_no_result_of_any_model_family(tmp_path, name):
    with Emulator(FAMILIES[name], RotePlayer()) as emulator:
        expected, _ = results(tmp_path / "calm", emulator, 0)
        played, lost = results(tmp_path / "killed", emulator, KILLS)
    assert len(played) == 2 * PERIODS and played == expected
    assert lost <= 2 * KILLS
