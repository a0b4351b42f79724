"""The result of a registered launch in stages, computed from its runs alone. Pure functions."""

from collections.abc import Sequence
from dataclasses import dataclass

from environments.generation import parse_seeds
from infrastructure.text.formats import difference_sentence, p_text
from pages.registrations.evidence.records import Evidence, EvidenceRun
from runs.stages.words import boundary_words
from stats.designs import sequential
from stats.designs.sequential import Look


@dataclass(frozen=True)
class StagedResult:
    """The last look of a comparison in stages.

    stage: its stage, from 1; total: instances of all stages; cells: the played pairs of environment and difficulty
    is_broken: whether a person changed the stages, so that the boundary does not hold
    """

    look: Look
    stage: int
    total: int
    cells: Sequence[tuple[str, str]]
    agents: tuple[str, str]
    is_broken: bool

    def sentence(self, evidence: Evidence) -> str:
        look, (first, second) = self.look, map(evidence.name_of, self.agents)
        if look.difference is None:
            return f"{first} and {second} have finished no registered instance in common."
        answer = difference_sentence(first, second, look.difference, look.is_decided)
        numbers = f"{p_text(look.p)}, boundary {boundary_words(look.boundary)}"
        text = f"After stage {self.stage}, with {look.n} of {self.total} instances: {answer} ({numbers})"
        if self.is_broken:
            return f"{text}. A person changed the stages, so there is no verdict."
        if look.is_decided:
            return f"{text}: evidence of a difference."
        return f"{text}: no evidence of a difference" + (", stopped as futile." if look.is_futile else ".")


def staged_result(evidence: Evidence, number: int) -> StagedResult:
    """Take the looks of launch `number` again, in order, until one of them stops the comparison."""
    launch = evidence.study.launches[number - 1]
    first, second = launch.agents
    runs = [run for run in evidence.runs if run.launch == number]
    cells = list(dict.fromkeys((run.environment, run.difficulty) for run in runs))
    seeds, sizes = parse_seeds(launch.seeds), launch.stages
    levels = sequential.spent(sizes)
    look, stage, differences, counts = Look(0, None, None, True, 0.0), 0, list[float](), list[int]()
    for stage, size in enumerate(sizes, 1):
        begun = sizes[stage - 2] if stage > 1 else 0
        differences += _differences(runs, seeds[begun:size], first, second)
        counts.append(len(differences))
        look = sequential.look(
            differences,
            counts,
            levels[:stage],
            planned=launch.points or 0,
            total=len(differences) + (sizes[-1] - size) * len(cells),
        )
        if look.is_decided or look.is_futile:
            break
    broken = bool(evidence.launches[number - 1].broken_stages)
    return StagedResult(look, stage, sizes[-1] * len(cells), cells, (first, second), broken)


def _differences(runs: Sequence[EvidenceRun], seeds: Sequence[int], first: str, second: str) -> list[float]:
    """The second agent's points minus the first's, as `runs.stages.selectors.differences_of` orders them."""
    scores: dict[tuple[int, int], dict[str, float]] = {}
    for run in runs:
        if run.score is not None and run.seed in seeds:
            scores.setdefault((run.seed, run.instance), {})[run.agent] = 100 * run.score
    pairs = (by_agent for _, by_agent in sorted(scores.items()) if {first, second} <= by_agent.keys())
    return [by_agent[second] - by_agent[first] for by_agent in pairs]
