"""CPU of a call that a worker makes, against the same calls by bare threads: how much of it is ours.

    python benchmarks/load_bare.py [--pairs 5] [--at-once 64] [--latency 2] [--seconds 20]

Both post to the endpoint of latency_endpoint.py. The worker plays so many runs of pricing BASIC at once on SQLite, with its
journal, budgets, limiter and embedded broker; its children count too. The bare threads post the bodies of such a period
by the `openai` SDK with its usual transport, one after another. A pair is measured within a minute, since the speed of a
machine changes; the median of the ratios is what counts.
"""

import argparse
import json
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.load import measure  # noqa: E402
from benchmarks.load_processes import EMBEDDED, Endpoint  # noqa: E402

WARM_UP_SECONDS = 8.0


def bodies() -> list[dict[str, Any]]:
    """The four requests of the first period of a run, with the answers of the endpoint."""
    from agents.llm import Reply
    from agents.loop import PeriodChat
    from agents.options import LLMOptions
    from agents.providers.formats.wire_format import Plan
    from agents.providers.learned import Learned
    from agents.providers.makers import WIRES
    from agents.tools import Notes
    from benchmarks.latency_endpoint import Endpoint as Answers
    from environments.registry import ENVIRONMENTS, generate

    wire, answers, requests = WIRES["chat"], Answers(0.0), []
    options = LLMOptions(provider="openai-compatible", model="house")
    environment = ENVIRONMENTS["pricing"](generate("pricing", "BASIC", 0))
    chat = PeriodChat(environment, Notes(), environment.seats[0])
    while chat.action is None:
        request = chat.request()
        body, _ = wire.body(Plan(request, options, Learned()))
        requests.append(body)
        _, answer = answers.take(bytearray(json.dumps(body).encode()), time.monotonic())
        reply = wire.read(json.loads(answer), request)
        assert isinstance(reply, Reply)
        chat.receive(reply)
    return requests


def post(url: str, threads: int, seconds: float) -> None:
    """Print the processor milliseconds of a call, after a warm-up."""
    import httpx2
    import openai

    client = openai.OpenAI(api_key="none", base_url=f"{url}/v1", max_retries=0)
    request_bodies, calls = bodies(), [0] * threads

    def ask(number: int) -> None:
        while True:
            for body in request_bodies:
                client.post("/chat/completions", cast_to=httpx2.Response, body=body).content.decode()
                calls[number] += 1

    for number in range(threads):
        threading.Thread(target=ask, args=(number,), daemon=True).start()
    time.sleep(WARM_UP_SECONDS)
    before, spent = sum(calls), time.process_time()
    time.sleep(seconds)
    print(1000 * (time.process_time() - spent) / (sum(calls) - before))


def bare(endpoint: Endpoint, options: argparse.Namespace) -> float:
    endpoint.get(f"latency/{options.latency}")
    arguments = ["--bare", endpoint.url, "--at-once", str(options.at_once), "--seconds", str(options.seconds)]
    command = [sys.executable, __file__, *arguments]
    return float(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--at-once", type=int, default=64, metavar="RUNS", help="runs, and bare threads")
    parser.add_argument("--latency", type=float, default=2.0, metavar="SECONDS")
    parser.add_argument("--seconds", type=float, default=20.0, help="length of each window")
    parser.add_argument("--bare", metavar="URL", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.bare:
        post(options.bare, options.at_once, options.seconds)
        return
    endpoint, ratios = Endpoint(options.latency), []
    try:
        for _ in range(options.pairs):
            alone = bare(endpoint, options)
            row = measure(EMBEDDED, endpoint, options.at_once, options.latency, options.seconds)
            ratios.append(row["cpu_ms_per_call"] / alone)
            print(f"{row['cpu_ms_per_call']:.2f} ms a call, bare {alone:.2f} ms: {ratios[-1]:.2f} times", flush=True)
    finally:
        endpoint.close()
    print(f"Median of {len(ratios)} pairs: {statistics.median(ratios):.2f} times.")


if __name__ == "__main__":
    main()
