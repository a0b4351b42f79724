"""The scheduling environment: tools, effect of an assignment, score of a run."""

import math
from pathlib import Path
from typing import Any

import numpy as np

from environments.actions import parse_bijection
from environments.base import PERIODS, SINGLE_SEAT, Getters, Instance, Outcome, Outcomes
from environments.declarations import Score
from environments.prompts.sets import LABELS, PromptSet
from environments.scheduling.economics import Preferences
from environments.scheduling.instance import published_draws
from environments.shared_games import Assigning

Pair = list[str]


class Scheduling(Assigning):
    name = "scheduling"
    title = "Scheduling"
    score_meaning = (
        "An agent matches workers to tasks. "
        "100 means that in its last matching no worker and task prefer each other to what they have. "
        "A random matching gets about 0."
    )
    history_tool = "get_previous_attempts_data"
    ranked_names = r"[WT]\d{1,4}"
    prompt_set = PromptSet(
        Path(__file__).parent / "prompts", LABELS | {"initial.final": "First prompt of the last period"}
    )

    def __init__(self, instance: Instance, outcomes: Outcomes = (), **options: Any):
        self.preferences = Preferences.of(instance)
        self.tasks: list[str] = instance.parameters["tasks"]
        self.task_index = {task: i for i, task in enumerate(self.tasks)}
        self.pairs_shown: dict[tuple[str, ...], list[Pair]] = {}
        self.stream = published_draws(len(self.tasks), instance.seed, instance.generator)[2]
        super().__init__(instance, outcomes, **options)

    def take(self, outcome: Outcome) -> None:
        """Add an outcome. For a stored outcome, repeat its random draw to restore the state of the stream."""
        self._shown(outcome.action, outcome.result["pairs"], outcome.period)
        super().take(outcome)

    def _shown(self, assignment: dict[str, Any], pairs: list[Pair], period: int) -> list[Pair]:
        """The blocking pairs shown for a matching, drawn when it is submitted for the first time."""
        key = tuple(assignment[worker] for worker in self.workers)
        if key not in self.pairs_shown:
            self.pairs_shown[key] = self._draw(pairs, period)
        return self.pairs_shown[key]

    def _draw(self, pairs: list[Pair], period: int) -> list[Pair]:
        """Draw the blocking pairs shown for a new matching. The position in the stream is part of the state."""
        limit = self.instance.parameters["feedback_pairs"]
        if len(pairs) <= limit:
            return pairs
        if self.instance.generator == "paper_text":
            indices = np.random.default_rng([self.instance.seed, period]).choice(len(pairs), limit, replace=False)
        else:
            indices = self.stream.choice(range(len(pairs)), limit, replace=False)
        return [pairs[int(i)] for i in indices]

    def initial_prompt(self, seat: str = SINGLE_SEAT) -> str:
        return self.prompts.part("initial.final" if self.period == self.periods - 1 else "initial", self.variant)

    def getters(self, seat: str) -> Getters:
        return {
            "get_attempt_number": lambda: self.period,
            "get_worker_ids": lambda: self.workers,
            "get_task_ids": lambda: self.tasks,
        }

    def parse_action(self, raw: object, seat: str = SINGLE_SEAT) -> dict[str, Any]:
        return parse_bijection(raw, self.action_argument, self.workers, self.tasks, "worker", "task")

    def step(self, action: dict[str, Any]) -> Outcome:
        task_of = np.array([self.task_index[action[worker]] for worker in self.workers], dtype=np.intp)
        pairs = [[self.workers[w], self.tasks[t]] for w, t in self.preferences.blocking_pairs(task_of)]
        result = {
            "blocking_pairs": len(pairs),
            "pairs": pairs,
            "feedback": self._shown(action, pairs, self.period),
            "stable": not pairs,
        }
        expected = self.instance.reference["expected_blocking_pairs"]
        return self._record_outcome(action, result, quality(len(pairs), expected), ended=not pairs)

    def observed(self, outcome: Outcome, seat: str = SINGLE_SEAT) -> dict[str, Any]:
        worker_of = {task: worker for worker, task in outcome.action.items()}
        return {
            "period": outcome.period,
            "assignment": outcome.action,
            "problems": {
                str(number): {
                    "worker": worker,
                    "matched_to": outcome.action[worker],
                    "preferred_task": task,
                    "assigned_worker": worker_of[task],
                }
                for number, (worker, task) in enumerate(outcome.result["feedback"], start=1)
            },
        }

    def feedback(self, outcome: Outcome, seat: str = SINGLE_SEAT) -> str:
        lines = [f"Attempt {outcome.period}:", f"Assignment proposed: {outcome.action}"]
        indent = "\t" if self.prompts.as_run else ""
        for number, problem in self.observed(outcome, seat)["problems"].items():
            worker, matched, task, rival = problem.values()
            lines.append(
                f"{indent}({number}) Problem with assignment: worker {worker} was matched to task {matched} and "
                f"worker {rival} was assigned to {task}. However, worker {worker} would have preferred task {task}, "
                f"and in fact worker {worker} is more suited to task {task} than worker {rival}."
            )
        return "\n".join(lines)

    @classmethod
    def score(cls, instance: Instance, outcomes: Outcomes, periods: int = PERIODS, variant: str = "main") -> Score:
        """1 - (blocking pairs of the final matching / expected blocking pairs of a random matching). May be negative."""
        if not outcomes:
            return Score(None, note="No assignment was submitted.")
        final = outcomes[-1].result["blocking_pairs"]
        return Score(quality(final, instance.reference["expected_blocking_pairs"]), solved=final == 0)

    @classmethod
    def metrics(cls, instance: Instance, outcomes: Outcomes, periods: int = PERIODS) -> dict[str, Any]:
        """Metrics of a run, including those of section 4.3.3 of the paper. Rates are shares of the proposed assignments."""
        counts = [outcome.result["blocking_pairs"] for outcome in outcomes]
        better = sum(count < min(counts[:period], default=math.inf) for period, count in enumerate(counts))
        reported_pairs: set[tuple[str, ...]] = set()
        requeried = 0
        for outcome in outcomes:
            requeried += not reported_pairs.isdisjoint(map(tuple, outcome.result["pairs"]))
            reported_pairs.update(map(tuple, outcome.result["feedback"]))
        stable = next((period for period, count in enumerate(counts, start=1) if count == 0), None)
        distinct = {frozenset(outcome.action.items()) for outcome in outcomes}
        n = len(outcomes)
        return {
            "blocking_pairs_by_period": counts,
            "best_so_far_rate": better / n if n else None,
            "requery_rate": requeried / n if n else None,
            "exploration_rate": len(distinct) / n if n else None,
            "periods_to_stability": stable,
            "solved": stable is not None,
        }


def quality(blocking_pairs: int, expected: float) -> float:
    """Quality between a random matching (0) and a stable matching (1); 1 if every matching is stable."""
    return 1.0 - blocking_pairs / expected if expected else 1.0
