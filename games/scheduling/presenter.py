"""Pages of scheduling: the matching, its blocking pairs and the feedback."""

from environments.scheduling.instance import EXPECTED_AFTER, expected_at
from environments.shocks import period_of
from games import presenter as parts
from infrastructure.text.formats import counted, number, percent, score
from infrastructure.text.tables import text_table
from runs.models import Instance, Period, Run

LARGEST_HEAT = 50
RANKS_SHOWN = 8


class SchedulingPresenter(parts.Presenter):
    chart_title = "Blocking pairs by period"
    instance_title = "Preferences"

    def chart_heights(self, run: Run) -> tuple[int, int]:
        return 374, 393

    def facts(self, run: Run) -> list[str]:
        size = len(run.instance.parameters["workers"])
        feedback_label = counted(
            run.instance.parameters["feedback_pairs"], "problem shown a period,problems shown a period"
        )
        return [f"{size} workers and tasks", feedback_label]

    def figures(self, run: Run) -> list[parts.KeyNumber]:
        metrics = run.all_metrics or {}
        pairs = metrics.get("blocking_pairs_by_period") or []
        stable = metrics.get("periods_to_stability")
        last = parts.KeyNumber("Blocking pairs", str(pairs[-1]) if pairs else "–", "at the end", about="blocking-pairs")
        if stable:
            last = parts.KeyNumber("Stable", f"period {stable - 1}", "no blocking pair left", about="blocking-pairs")
        if "periods_to_next_stability" in metrics:
            again = metrics["periods_to_next_stability"]
            value = counted(again, "period,periods") if again else "not again"
            last = parts.KeyNumber("Stable again", value, "after the shock", about="scheduling-score")
        rate = percent(metrics.get("requery_rate"))
        requery = parts.KeyNumber("Requery rate", rate, "of assignments", about="requery-rate")
        return [last, parts.recovery_number(run) or requery]

    def happened(self, instance: Instance, period: Period, before: Period | None) -> list[parts.PageSection]:
        result, action = period.result, period.action
        expected = expected_at(instance.as_problem(), period.index) if instance.reference else None
        change = ""
        if before is not None:
            step = result["blocking_pairs"] - before.result["blocking_pairs"]
            change = f"{step:+d} since period {before.index}".replace("-", "−") if step else "as before"
        figures = (
            parts.KeyNumber("Blocking pairs", str(result["blocking_pairs"]), change, about="blocking-pairs"),
            parts.KeyNumber(
                "Random matching", number(expected, 1), "blocking pairs expected", about="scheduling-score"
            ),
            parts.KeyNumber("Score of this matching", score(period.quality), about="scheduling-score"),
        )
        worker_of = {task: worker for worker, task in action.items()}
        rows = [
            (
                f"{worker} and {task}",
                f"{worker} had {action[worker]}, prefers {task}",
                f"{task} had {worker_of[task]}, prefers {worker}",
            )
            for worker, task in result["feedback"]
        ]
        table = text_table(("Problem shown", "Worker", "Task"), rows, text_columns=3) if rows else None
        sentence = "" if rows else "The matching is stable: no worker and task prefer each other."
        return [parts.PageSection("", sentence, figures=figures, table=table), _assignment(action, before)]

    def learns(self, instance: Instance) -> list[parts.PageSection]:
        workers, feedback_pairs = len(instance.parameters["workers"]), instance.parameters["feedback_pairs"]
        figures = (
            parts.KeyNumber("Workers", number(workers, 0), "and as many tasks", about="instances-of-scheduling"),
            parts.KeyNumber(
                "Blocking pairs shown", number(feedback_pairs, 0), "at most, a period", about="blocking-pairs"
            ),
        )
        sentence = (
            "The agent knows the names of workers and tasks. After each matching it is shown some "
            "of its blocking pairs."
        )
        return [parts.PageSection("", sentence, figures=figures)]

    def optimum(self, instance: Instance) -> list[parts.PageSection]:
        expected = (instance.reference or {}).get("expected_blocking_pairs")
        after = (instance.reference or {}).get(EXPECTED_AFTER)
        note = "blocking pairs expected" + ("" if after is None else f", after the shock {number(after, 1)}")
        figures = (
            parts.KeyNumber("Random matching", number(expected, 1), note, about="scheduling-score"),
            parts.KeyNumber("Stable matching", "0", "blocking pairs", about="scheduling"),
        )
        sentence = (
            "The expectation over all matchings is exact, in closed form. A stable matching always exists (Gale and "
            "Shapley 1962), so the best score is 100."
        )
        return [parts.PageSection("Optimum", sentence, figures=figures)]

    def truth(self, instance: Instance) -> list[parts.PageSection]:
        hidden, parameters = instance.hidden, instance.parameters
        workers, tasks = parameters["workers"], parameters["tasks"]
        sides = (
            ("Workers rank tasks", hidden["worker_preferences"], workers, tasks),
            ("Tasks rank workers", hidden["task_preferences"], tasks, workers),
        )
        sections = []
        if "shock" in hidden:
            rows = ((name, ", ".join(order)) for name, order in hidden["shock"]["worker_preferences"].items())
            table = text_table(("Worker", "Tasks, the best first"), rows, text_columns=2)
            sections.append(parts.PageSection(f"New lists from period {period_of(instance)} on", table=table))
        if len(workers) > LARGEST_HEAT:
            for title, lists, _, _ in sides:
                rows = ((name, ", ".join(order[:RANKS_SHOWN]) + ", …") for name, order in lists.items())
                table = text_table(("Who", f"First {RANKS_SHOWN} choices"), rows, text_columns=2)
                sections.append(parts.PageSection(title, table=table))
            return sections
        heat = tuple(
            parts.HeatMap(
                title,
                tuple(rankers),
                tuple(ids),
                tuple(tuple(lists[ranker].index(name) for name in ids) for ranker in rankers),
            )
            for title, lists, rankers, ids in sides
        )
        return [parts.PageSection("Preferences", "Stronger colours mean higher ranks.", heat=heat), *sections]

    def jumps(self, qualities: list[parts.Quality]) -> list[parts.Jump]:
        return [
            parts.Jump("Stable" if jump.label == "First optimal" else jump.label, jump.index)
            for jump in parts.common_jumps(qualities)
        ]


def _assignment(action: dict[str, str], before: Period | None) -> parts.PageSection:
    earlier = before.action if before else action
    chips = tuple(
        parts.Chip(f"{worker} {task}", earlier.get(worker) != task, f"{worker} had {earlier.get(worker)} before")
        for worker, task in action.items()
    )
    changed = sum(chip.is_new for chip in chips)
    sentence = f"{counted(changed, 'worker has,workers have')} a different task than in the previous period."
    if not changed:
        sentence = "The same matching as in the previous period."
    return parts.PageSection("Assignment", sentence if before else "", chips=chips)
