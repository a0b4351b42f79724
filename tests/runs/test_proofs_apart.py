"""Proof attempts in separate processes: the same results, and no process left behind."""

import os
import subprocess
import sys
from importlib import import_module

import pytest

from environments.procurement.optimum import solve
from environments.registry import generate
from infrastructure.claims import Stopping
from runs.engine.reference import ensure_drawn
from runs.models import Instance, Proof, ProofState, Run
from runs.proofs.apart import solve_apart
from runs.proofs.claims import claims
from runs.proofs.work import NO_RESULT, PROOFS
from tests.cast import play_to_the_end
from tests.data_folders import ROOT
from tests.processes import children, is_alive
from tests.unproven import CLIMBER, GAME, SEED, limit_attempts, prove_all
from tests.waiting import wait_until

migration = import_module("runs.migrations.0033_search_proofs")

HOPELESS = {"products": 200, "categories": 20, "bundle_probability": 0.05, "quantity_probability": 0.05}
HOPELESS |= {"lowest_effectiveness": 1, "highest_effectiveness": 100}

SEARCH = f"""
import os
os.environ["DJANGO_SETTINGS_MODULE"] = "econevals_site.settings"
from environments.registry import generate
from runs.proofs.apart import solve_apart

problem = generate("procurement", "CUSTOM", 0, settings={HOPELESS!r}, with_reference=False)
solve_apart(problem, 10_000, lambda: print("searching", flush=True))
"""


def test_a_separate_process_finds_the_same_optimum():
    problem = generate("procurement", "BASIC", SEED, with_reference=False)
    apart = solve_apart(problem, 100.0, lambda: None)["optimum"]
    here = solve(problem).as_json()
    assert apart["proven"] and {**apart, "seconds": 0} == {**here, "seconds": 0}


def test_stopping_an_attempt_ends_its_process():
    problem = generate("procurement", "CUSTOM", 0, settings=HOPELESS, with_reference=False)
    seen = []

    def look():
        if seen and seen[-1]:
            raise Stopping
        seen.append(children(os.getpid()))

    before = set(children(os.getpid()))
    with pytest.raises(Stopping):
        solve_apart(problem, 10_000, look)
    assert set(children(os.getpid())) <= before


def test_an_unproven_optimum_of_an_earlier_version_is_searched_for_again(launch):
    run = launch(CLIMBER, environments=("procurement",), difficulties=("HARD",), seeds=(8,)).runs.get()
    ensure_drawn(run.instance)
    unproven = solve(run.instance.as_problem(), limit=0.0)
    Instance.objects.update(reference={"optimum": unproven.as_json()})
    play_to_the_end(run.pk)
    assert Run.objects.get().score is None and not Proof.objects.exists()
    for _ in range(2):  # simulates an interrupted migration
        migration.search_proofs(Instance.objects.all(), Proof.objects.all())
    prove_all()
    assert Instance.objects.get().reference["optimum"]["workers"] == pytest.approx(45798.0259, abs=1e-4)
    assert Run.objects.get().score > 0


def test_a_process_without_a_result_ends_the_search(db, launch, monkeypatch):
    limit_attempts(monkeypatch, 0.0, 100.0)
    play_to_the_end(launch(CLIMBER, **GAME).runs.get().pk)
    Instance.objects.update(hidden={"effectiveness": {}})  # no solver can do anything with it
    PROOFS.work(claims.claim_next())
    proof = Proof.objects.get()
    assert (proof.state, proof.problem, proof.attempts) == (ProofState.GIVEN_UP, NO_RESULT, 1)


@pytest.mark.long
def test_the_process_of_a_killed_worker_ends():
    with subprocess.Popen([sys.executable, "-c", SEARCH], cwd=ROOT, stdout=subprocess.PIPE, text=True) as worker:
        for _ in range(3):
            worker.stdout.readline()
        (child,) = children(worker.pid)
        worker.kill()
        wait_until(lambda: not is_alive(child), lambda: "The process of the attempt goes on without its worker.")
