"""The scheduling environment: tools, effect of an assignment, score of a run."""

import math
from pathlib import Path
from typing import Any

import numpy as np

from environments.actions import parse_bijection
from environments.base import PERIODS, SINGLE_SEAT, Getters, Instance, Outcome, Outcomes
from environments.declarations import Score, Variant
from environments.prompts.sets import LABELS, PromptSet
from environments.scheduling.economics import Preferences
from environments.scheduling.instance import EXPECTED, expected_at, published_draws
from environments.shared_games import Assigning
from environments.shocks import FEWEST_PERIODS, OURS, is_after, period_of, recovery, shock_settings, worlds

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
    variants = {
        "main": Variant("the paper's prompt"),
        "shock_preferences": Variant(
            f"preference shock: two workers rank the tasks anew in period 50 ({OURS})",
            label=f"preference shock, {OURS}",
            settings=shock_settings(shock_workers=2),
            fewest_periods=FEWEST_PERIODS,
        ),
    }
    ranked_names = r"[WT]\d{1,4}"
    prompt_set = PromptSet(
        Path(__file__).parent / "prompts", LABELS | {"initial.final": "First prompt of the last period"}
    )

    def __init__(self, instance: Instance, outcomes: Outcomes = (), **options: Any):
        shock = period_of(instance)
        self.preferences = [Preferences.of(instance), *([] if shock is None else [Preferences.of(instance, shock)])]
        self.tasks: list[str] = instance.parameters["tasks"]
        self.task_index = {task: i for i, task in enumerate(self.tasks)}
        self.pairs_shown: dict[tuple[bool, tuple[str, ...]], list[Pair]] = {}
        self.stream = published_draws(len(self.tasks), instance.seed, instance.generator)[2]
        super().__init__(instance, outcomes, **options)

    def take(self, outcome: Outcome) -> None:
        """Add an outcome. For a stored outcome, repeat its random draw to restore the state of the stream."""
        self._shown(outcome.action, outcome.result["pairs"], outcome.period)
        super().take(outcome)

    def _shown(self, assignment: dict[str, Any], pairs: list[Pair], period: int) -> list[Pair]:
        """The blocking pairs shown for a matching, drawn when it is submitted for the first time, or first after a shock."""
        key = is_after(self.instance, period), tuple(assignment[worker] for worker in self.workers)
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
        preferences = self.preferences[is_after(self.instance, self.period)]
        pairs = [[self.workers[w], self.tasks[t]] for w, t in preferences.blocking_pairs(task_of)]
        result = {
            "blocking_pairs": len(pairs),
            "pairs": pairs,
            "feedback": self._shown(action, pairs, self.period),
            "stable": not pairs,
        }
        expected = expected_at(self.instance, self.period)
        is_last_world = preferences is self.preferences[-1]
        return self._record_outcome(action, result, quality(len(pairs), expected), ended=not pairs and is_last_world)

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
        """1 - (blocking pairs of the final matching / expected blocking pairs of a random matching). May be negative.

        With a shock: 1 - (d - 1) / n if the d-th of the n periods after it is the first stable one, and 0 if none is.
        """
        if not outcomes:
            return Score(None, note="No assignment was submitted.")
        shock = period_of(instance)
        if shock is not None:
            regained = cls.metrics(instance, outcomes, periods)["periods_to_next_stability"]
            left = max(1, periods - shock)
            return Score(0.0 if regained is None else 1 - (regained - 1) / left, solved=regained is not None)
        final = outcomes[-1].result["blocking_pairs"]
        return Score(quality(final, instance.reference[EXPECTED]), solved=final == 0)

    @classmethod
    def metrics(cls, instance: Instance, outcomes: Outcomes, periods: int = PERIODS) -> dict[str, Any]:
        """Metrics of a run, including those of section 4.3.3 of the paper. Rates are shares of the proposed assignments.

        With a shock, pairs and results of before it are not compared with those after it.
        """
        by_world = worlds(instance, outcomes)
        counts = [outcome.result["blocking_pairs"] for outcome in outcomes]
        better = sum(
            count < min(world[:position], default=math.inf)
            for world in ([outcome.result["blocking_pairs"] for outcome in part] for part in by_world)
            for position, count in enumerate(world)
        )
        stable = [_first_stable(world) for world in by_world]
        distinct = {frozenset(outcome.action.items()) for outcome in outcomes}
        n = len(outcomes)
        return {
            "blocking_pairs_by_period": counts,
            "best_so_far_rate": better / n if n else None,
            "requery_rate": sum(sum(requeried(world)) for world in by_world) / n if n else None,
            "exploration_rate": len(distinct) / n if n else None,
            "periods_to_stability": _first_stable(outcomes),
            "solved": stable[-1] is not None,
            **({"periods_to_next_stability": stable[1]} if len(stable) > 1 else {}),
            **recovery(instance, outcomes),
        }


def requeried(outcomes: Outcomes) -> list[bool]:
    """For each assignment, whether it has a blocking pair that was given as feedback in an earlier period."""
    feedback_pairs: set[tuple[str, ...]] = set()
    result = []
    for outcome in outcomes:
        result.append(not feedback_pairs.isdisjoint(map(tuple, outcome.result["pairs"])))
        feedback_pairs.update(map(tuple, outcome.result["feedback"]))
    return result


def _first_stable(outcomes: Outcomes) -> int | None:
    """The number of the first stable assignment, from 1."""
    return next((number for number, outcome in enumerate(outcomes, start=1) if outcome.result["stable"]), None)


def quality(blocking_pairs: int, expected: float) -> float:
    """Quality between a random matching (0) and a stable matching (1); 1 if every matching is stable."""
    return 1.0 - blocking_pairs / expected if expected else 1.0
