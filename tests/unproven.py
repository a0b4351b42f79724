"""Instances of procurement whose optimum is not proven by the first attempt."""

from dataclasses import replace

import pytest

CLIMBER = "procurement-hill-climber"
SEED = 20
"""The optimum of this instance is not among the published ones."""
GAME = {"environments": ("procurement",), "seeds": (SEED,)}


def limit_attempts(monkeypatch: pytest.MonkeyPatch, *seconds: float) -> None:
    """Set the processor seconds of the attempts, that of the first run included."""
    from environments.registry import ATTEMPTS, GENERATION

    first, declared = GENERATION["procurement"], ATTEMPTS["procurement"]
    first = replace(first, reference=lambda instance: declared.solve(instance, seconds[0]))
    monkeypatch.setitem(GENERATION, "procurement", first)
    monkeypatch.setitem(ATTEMPTS, "procurement", replace(declared, seconds=seconds))


def solve_here(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Solve in this process, which needs no second to begin; the list has the limits of the attempts that were made."""
    from environments.registry import ATTEMPTS
    from runs.proofs import work

    asked = []

    def solve_at_once(problem, limit, look):
        look()
        asked.append(limit)
        return ATTEMPTS[problem.environment].solve(problem, limit)

    monkeypatch.setattr(work, "solve_apart", solve_at_once)
    return asked


def prove_all() -> None:
    """Do what workers do for all due proofs."""
    from runs.proofs.work import PROOFS

    while PROOFS.work_next():
        pass
