"""One run as an Inspect AI log, which `inspect view` and `inspect_ai.log.read_eval_log` read: a zip of JSON members.

A sample is a period; in a market of two, it is one seat's part of a period. Its messages are the
period's chat, and its scores are the results of the action. The score of the run is in the log's
results. Periods are streamed, so a long run needs little memory. The times in the archive are
fixed, so the same run gives the same bytes.
"""

import hashlib
import json
import zipfile
from collections.abc import Iterator
from typing import Any

from environments.registry import ENVIRONMENTS
from infrastructure.text.archives import Pipe, entry
from runs.models import Run, RunState
from runs.transcripts import run_transcripts
from workspace.transfer.writing.inspect_samples import SeatPeriod, model_name, sample, summary

LOG_VERSION = 2
STATUS = {
    RunState.FINISHED: "success",
    RunState.CANCELLED: "cancelled",
    RunState.ERRORED: "error",
    RunState.STALLED: "error",
}
"""Inspect's status by state of the run. All other states count as started."""


def inspect_log(run: Run) -> Iterator[bytes]:
    """The archive in parts. The run must have its instance, agents and experiment loaded."""
    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:  # type: ignore[call-overload]
        for name, content in _members(run):
            archive.writestr(entry(name), json.dumps(content, ensure_ascii=False, allow_nan=False).encode())
            yield pipe.take()
    yield pipe.take()


def _members(run: Run) -> Iterator[tuple[str, Any]]:
    spec, summaries = _spec(run), []
    yield "_journal/start.json", {"version": LOG_VERSION, "eval": spec, "plan": _plan(run)}
    for period, transcripts in run_transcripts(run) if run.instance.reference is not None else ():
        for name, transcript in transcripts.items():
            content = sample(run, SeatPeriod(period, name, transcript, is_one_of_many=len(transcripts) > 1))
            yield f"samples/{content['id']}_epoch_1.json", content
            summaries.append(summary(content))
    yield "summaries.json", summaries
    yield "header.json", _header(run, spec, summaries)


def _plan(run: Run) -> dict[str, Any]:
    solver = "baseline" if run.agent.is_baseline else run.agent.player_class if run.agent.is_outside else "econevals"
    return {"name": "plan", "steps": [{"solver": solver, "params": run.config.get("player", {})}], "config": {}}


def _spec(run: Run) -> dict[str, Any]:
    instance = run.instance
    settings = {name: getattr(instance, name) for name in ("difficulty", "seed", "generator")}
    settings |= {name: getattr(run, name) for name in ("variant", "reasoning", "periods")}
    return {
        "eval_id": _number(run, "eval"),
        "run_id": _number(run, "run"),
        "created": run.created_at.isoformat(timespec="seconds"),
        "task": f"econevals/{instance.environment}",
        "task_id": _number(run, "task"),
        "task_version": run.prompt_version or 0,
        "task_display_name": f"{ENVIRONMENTS[instance.environment].title} {instance.difficulty}, seed {instance.seed}",
        "task_args": settings,
        "task_args_passed": settings,
        "dataset": {"name": f"{instance}", "samples": run.periods, "shuffled": False},
        "model": model_name(run.agent),
        "config": {"epochs": 1},
        "packages": {"econevals": str(run.config.get("code_version", ""))},
        "scorers": [{"name": "econevals"}],
        "metadata": {
            "experiment": run.experiment.name,
            "experiment_id": run.experiment_id,
            "run_id": run.pk,
            "agent": run.agent.name,
            "rival": run.rival.name if run.rival else None,
            "state": run.state,
            "imported": run.imported,
            "instance": instance.content_hash,
            "parameters": instance.parameters,
        },
    }


def _header(run: Run, spec: dict[str, Any], summaries: list[dict[str, Any]]) -> dict[str, Any]:
    moments = {"started_at": run.started_at, "completed_at": run.ended_at}
    times = {name: moment.isoformat(timespec="seconds") if moment else "" for name, moment in moments.items()}
    status = STATUS.get(RunState(run.state), "started")
    reason = run.reason or "The run stopped."
    error = {"error": {"message": reason, "traceback": reason, "traceback_ansi": reason}} if status == "error" else {}
    return {
        "version": LOG_VERSION,
        "status": status,
        "eval": spec,
        "plan": _plan(run),
        "results": dict.fromkeys(("total_samples", "completed_samples"), len(summaries))
        | {"scores": _scores(run, summaries)},
        "stats": times | {"model_usage": _usage(summaries)},
    } | error


def _scores(run: Run, summaries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The run's score with its other single-number metrics, and the mean over periods of each sample score."""
    values: dict[str, float] = {"score": run.score} if run.score is not None else {}
    values |= {k: v for k, v in (run.metrics or {}).items() if isinstance(v, int | float) and k != "score"}
    by_name = {
        name: [s["scores"][name]["value"] for s in summaries if name in s["scores"]]
        for name in (summaries[0]["scores"] if summaries else ())
    }
    means = [_score(name, {"mean": sum(part) / len(part)}, len(part)) for name, part in by_name.items()]
    return [_score("econevals", values, run.periods_played), *means] if values else means


def _score(name: str, values: dict[str, float], samples: int) -> dict[str, Any]:
    return {
        "name": name,
        "scorer": name,
        "scored_samples": samples,
        "metrics": {metric: {"name": metric, "value": value + 0} for metric, value in values.items()},
    }


def _usage(summaries: list[dict[str, Any]]) -> dict[str, Any]:
    totals: dict[str, dict[str, Any]] = {}
    for sample_summary in summaries:
        for model, usage in sample_summary["model_usage"].items():
            total = totals.setdefault(model, dict.fromkeys(usage))
            for key, value in usage.items():
                total[key] = value if total[key] is None else total[key] + value
    return totals


def _number(run: Run, what: str) -> str:
    """A string of 22 characters derived from the run, in the form of Inspect's ids."""
    return hashlib.sha256(f"econevals {what} {run.organization_id} {run.pk}".encode()).hexdigest()[:22]
