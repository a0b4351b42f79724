"""A provider in a process of its own that bills: every complete request gets a number and a price.

The number is in the reply's model id or in the error's text, so the journal can be held against the bill row by row. What
a provider may have billed though its answer never arrived whole (time-out, reset, cut body) is billed in full.
"""

import hashlib
import json
import random
import re
import sys
import threading
import time
from dataclasses import asdict, dataclass, replace
from email.utils import formatdate

from tests.faults.companion import Companion, serve
from tests.faults.games import cost_nano
from tests.scripted_player import Chat, ScriptedPlayer
from tests.stub_provider import StubAnswer, StubProvider

SERIAL = re.compile(r"bill-(\d{7})")
NOTHING_BILLED = ("429 seconds", "429 date", "500", "502", "503", "529")
BILLED = ("reset", "hang", "cut", "error in 200", "wrong types")
WRONG = ([1, 2], "ok", None, {"choices": 7}, {"choices": []}, {"content": "hi", "choices": "ho"}, {})
# Replies with a call that cannot be used. They follow from the request, so that every play of a run meets the same.
ODD_SHARE = 0.04


@dataclass(frozen=True)
class Billed:
    """One complete request. kind: 'answer' or the fault; at, retry_until: wall clock; step: replies already in the chat."""

    serial: int
    kind: str
    model: str
    action: str
    step: int
    cost_nano: int
    at: float
    retry_until: float = 0.0


class Biller:
    """The script of the stub: plays by rote, fails by seed, and writes down what it bills."""

    def __init__(self, *, seed, delay, hang):
        self.delay, self.hang = delay, hang
        self.share = 0.0
        self.bill = []
        self._player = ScriptedPlayer()
        self._rng = random.Random(seed)
        self._lock = threading.Lock()

    def __call__(self, wire, body, headers):
        chat, digest = Chat.of(wire, body), hashlib.sha256(json.dumps(body, sort_keys=True).encode()).digest()
        fresh, cached, output = usage_of(body, digest)
        with self._lock:
            kind = "answer"
            if self._rng.random() < self.share:
                kind = self._rng.choice((*NOTHING_BILLED, *BILLED))
            place = self._rng.random()
            cost = 0 if kind in NOTHING_BILLED else cost_nano(body["model"], fresh, cached, output)
            action = chat.tools[-1] if chat.tools else "answer"
            wait = {"429 seconds": 1.0, "429 date": 2.0}.get(kind, 0.0)
            now = time.time()
            # A date has whole seconds, so it may promise almost one less.
            until = now + wait if kind == "429 seconds" else float(int(now + wait)) if wait else 0.0
            entry = Billed(len(self.bill), kind, body["model"], action, chat.asked, cost, now, until)
            self.bill.append(entry)
        tag = f"bill-{entry.serial:07d}"
        if kind != "answer":
            return self._spoilt(entry, tag, wire, place)
        answer = odd(chat, digest) or self._player(wire, body, headers)
        usage = usage_in(wire, fresh, cached, output)
        return replace(answer, delay=self.delay, model=f"{body['model']} {tag}", usage=usage)

    def _spoilt(self, entry, tag, wire, place):
        match entry.kind:
            case "429 seconds":
                return StubAnswer(status=429, error=f"Slow down. {tag}", headers={"Retry-After": "1"})
            case "429 date":
                date = formatdate(entry.retry_until, usegmt=True)
                return StubAnswer(status=429, error=f"Slow down. {tag}", headers={"Retry-After": date})
            case "500" | "502" | "503" | "529":
                return StubAnswer(status=int(entry.kind), error=f"Out of order. {tag}")
            case "reset":
                return StubAnswer(drop=True)
            case "hang":
                return StubAnswer(delay=self.hang, drop=True)
            case "cut":
                return StubAnswer(text="Half a reply. " * 20, cut=int(place * 200))
            case "error in 200":
                return StubAnswer(raw=json.dumps({"error": {"message": f"Overloaded. {tag}"}}).encode())
        return StubAnswer(raw=json.dumps(WRONG[int(place * len(WRONG))]).encode())


def usage_of(body, digest):
    """Fresh, cached and output tokens of a request, always the same ones."""
    sent = len(json.dumps(body)) // 4
    return sent - sent // 3, sent // 3, 20 + digest[1]


def usage_in(wire, fresh, cached, output):
    if wire == "anthropic":
        return {"input_tokens": fresh, "cache_read_input_tokens": cached, "output_tokens": output}
    details = {"prompt_tokens_details": {"cached_tokens": cached}}
    return {"prompt_tokens": fresh + cached, "completion_tokens": output} | details


def odd(chat, digest):
    """Sometimes a paid reply whose call is not JSON, has no tool, or is missing."""
    if not chat.tools or digest[2] >= 256 * ODD_SHARE:
        return None
    return (
        StubAnswer(calls=(("no_such_tool", {}),)),
        StubAnswer(calls=(("write_notes", '{"notes": "half a'),)),
        StubAnswer(text="Let me think about it."),
    )[digest[3] % 3]


class StubBill:
    """The rig's side of the provider's process."""

    def __init__(self, folder, variables, *, seed=0, delay=0.0, hang=4.0):
        words = [str(seed), str(delay), str(hang)]
        self._companion = Companion("tests.faults.stub_bill", *words, variables=variables, log=folder / "stub.log")
        self.urls = self._companion.ask("urls")
        self._bill = []

    @property
    def count(self):
        return int(self._companion.ask("count")["count"])

    @property
    def bill(self):
        """Everything billed so far in order."""
        new = self._companion.ask("bill", after=len(self._bill))["bill"]
        self._bill += [Billed(**entry) for entry in new]
        return self._bill

    def fail(self, share):
        """From now on so large a share of the requests fails, in every way."""
        self._companion.ask("fail", share=share)

    def close(self):
        self._companion.close()


def main(seed, delay, hang):
    biller = Biller(seed=int(seed), delay=float(delay), hang=float(hang))
    stub = StubProvider(biller, remember=False)

    def answer(do, words):
        if do == "urls":
            return {wire: stub.base_url(wire) for wire in ("openai", "anthropic")}
        if do == "fail":
            biller.share = float(words["share"])
        if do == "bill":
            return {"bill": [asdict(entry) for entry in biller.bill[words["after"] :]]}
        return {"count": len(biller.bill)}

    serve(answer)


if __name__ == "__main__":
    main(*sys.argv[1:])
