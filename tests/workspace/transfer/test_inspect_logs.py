"""A run as an Inspect AI log: a zip with the members and fields that its viewer and reader expect."""

import importlib.util
import io
import json
import os
import subprocess
import sys
import tracemalloc
import zipfile
from collections import deque

import pytest
from django.core.management import call_command

from environments.registry import ENVIRONMENTS
from runs.models import Note
from runs.selectors.runs import run_or_404
from tests.cast import HOSTILE, think
from tests.conftest import need
from tests.workspace.transfer.published_log import write_log
from workspace.transfer.writing.inspect_log import inspect_log

PLAYERS = {
    "scheduling": "scheduling-knuth",
    "collusiveness_vs_competitiveness": "collusion-nash",
    "efficiency_vs_equality": "equality-greedy-equality",
    "patience_vs_impatience": "patience-rate",
}


@pytest.fixture
def ended(played, organization):
    def end(environment="pricing", **options):
        stock = "STANDARD" if "_vs_" in environment else "BASIC"
        options |= {"environments": (environment,), "difficulties": (stock,)}
        run = played(PLAYERS.get(environment, "random"), **options).runs.get()
        return run_or_404(organization=organization, run_id=run.pk)

    return end


def members(run):
    archive = zipfile.ZipFile(io.BytesIO(b"".join(inspect_log(run))))
    assert archive.testzip() is None
    return {name: json.loads(archive.read(name)) for name in archive.namelist()}


@pytest.mark.sampled
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_every_environment_gives_a_complete_log(environment, ended):
    run = ended(environment)
    found = members(run)
    header, samples = found["header.json"], [found[name] for name in found if name.startswith("samples/")]
    seats = 2 if environment.startswith("collusiveness") else 1
    assert len(samples) == len(found["summaries.json"]) == 4 * seats == header["results"]["total_samples"]
    assert found["_journal/start.json"]["eval"] == header["eval"]
    assert (header["version"], header["status"]) == (2, "success")
    assert header["eval"]["model"] == f"econevals/{run.agent.slug}"
    assert header["eval"]["task"] == f"econevals/{environment}"
    assert header["results"]["scores"][0]["metrics"]["score"]["value"] == run.score
    for name, sample in found.items():
        if name.startswith("samples/"):
            assert name == f"samples/{sample['id']}_epoch_1.json"
            assert len({message["id"] for message in sample["messages"]}) == len(sample["messages"])
    assert header["stats"]["started_at"] and header["stats"]["completed_at"]


def test_a_sample_is_a_period_with_its_chat_notes_action_and_scores(ended):
    run = ended("pricing")
    sample = members(run)["samples/2_epoch_1.json"]
    period = run.period_rows.get(index=2)
    roles = [message["role"] for message in sample["messages"]]
    assert roles[:3] == ["system", "user", "assistant"] and roles[-2:] == ["assistant", "tool"]
    action = sample["messages"][-2]["tool_calls"][0]
    assert action["function"] == "set_prices" and sample["messages"][-1]["tool_call_id"] == action["id"]
    assert sample["metadata"]["action"] == period.action and sample["metadata"]["outcome"] == period.result
    assert sample["scores"]["quality"]["value"] == period.quality
    assert sample["metadata"]["notes"] == [note.text for note in run.notes.filter(period_index=2)]


def test_thinking_becomes_reasoning_of_inspect_before_the_text(ended):
    run = think(ended("pricing"), text="I set a price.")
    sample = members(run)["samples/0_epoch_1.json"]
    replies = [message for message in sample["messages"] if message["role"] == "assistant"]
    assert replies[0]["content"] == [
        {"type": "reasoning", "reasoning": HOSTILE},
        {"type": "text", "text": "I set a price."},
    ]
    assert sample["output"]["usage"]["reasoning_tokens"] == 250 * len(replies)


@pytest.mark.long
def test_cached_tokens_are_counted_separately(imported, tmp_path):
    write_log(tmp_path, "procurement")
    header = members(imported())["header.json"]
    usage = header["stats"]["model_usage"]["imported/claude-3-5-sonnet-20241022"]
    assert (usage["input_tokens"], usage["input_tokens_cache_read"], usage["output_tokens"]) == (6 * 40, 6 * 20, 6 * 40)
    assert usage["total_tokens"] == 6 * 100 and header["eval"]["metadata"]["imported"] is True


def test_states_have_the_names_and_reasons_of_inspect(ended):
    run = ended("pricing")
    states = {"errored": "error", "stalled": "error", "cancelled": "cancelled", "running": "started"}
    for state, status in states.items():
        run.state, run.reason = state, "The model does not exist."
        header = members(run)["header.json"]
        assert header["status"] == status
        assert header.get("error", {}).get("message") == ("The model does not exist." if status == "error" else None)


def test_an_unplayed_run_gives_an_empty_log(launch, organization):
    run = run_or_404(organization=organization, run_id=launch("random").runs.get().pk)
    found = members(run)
    assert found["summaries.json"] == [] and found["header.json"]["status"] == "started"


@pytest.mark.long
def test_browser_and_command_give_the_same_log(ended, page, tmp_path):
    run = ended("scheduling")
    call_command("export", "--run", str(run.pk), "--format", "eval", "--output", str(tmp_path / "run.eval"))
    answer = page.get(f"/runs/{run.pk}/run.eval")
    assert answer["Content-Disposition"] == f'attachment; filename="run-{run.pk}.eval"'
    assert (tmp_path / "run.eval").read_bytes() == b"".join(answer.streaming_content) == b"".join(inspect_log(run))


@pytest.mark.long
def test_a_long_run_needs_no_more_memory_than_a_short_run(ended):
    def peak(run):
        deque(inspect_log(run), maxlen=0)
        tracemalloc.start()
        deque(inspect_log(run), maxlen=0)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    short, long = ended("pricing", periods=5), ended("pricing", periods=100)
    Note.objects.all().delete()
    assert peak(long) < peak(short) + 3_000_000


READ = """
import sys, warnings
warnings.simplefilter("error")
from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries
log = read_eval_log(sys.argv[1])
header = read_eval_log(sys.argv[1], header_only=True)
summaries = read_eval_log_sample_summaries(sys.argv[1])
sample = log.samples[1]
score = log.results.scores[0].metrics["score"].value
calls = [call.function for message in sample.messages for call in (getattr(message, "tool_calls", None) or [])]
print(log.status, header.eval.task, len(log.samples), len(summaries), score, calls[-1], sample.scores["quality"].value)
"""


@pytest.fixture
def inspected(tmp_path):
    """Words that Inspect AI reads from a run's log, where it is installed here or in ECONEVALS_INSPECT_PYTHON."""
    python = os.environ.get("ECONEVALS_INSPECT_PYTHON") or sys.executable
    need("Inspect AI", python != sys.executable or importlib.util.find_spec("inspect_ai") is not None)

    def inspect(run):
        target = tmp_path / "run.eval"
        target.write_bytes(b"".join(inspect_log(run)))
        read = subprocess.run([python, "-c", READ, str(target)], capture_output=True, text=True, check=False)
        assert (read.returncode, read.stderr) == (0, "")
        return read.stdout.split()

    return inspect


def test_inspect_reads_a_run_with_unknown_times_and_costs(inspected, imported, tmp_path):
    write_log(tmp_path / "log", "scheduling")
    assert inspected(imported())[:4] == ["success", "econevals/scheduling", "3", "3"]


@pytest.mark.parametrize("environment", ["pricing", "procurement"])
def test_inspect_reads_a_run_without_a_warning(environment, inspected, ended):
    run = think(ended(environment))
    last = [ENVIRONMENTS[environment].action_tool, str(run.period_rows.get(index=1).quality)]
    assert inspected(run) == ["success", f"econevals/{environment}", "4", "4", str(run.score + 0), *last]
