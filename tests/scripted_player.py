"""A model for the stub provider that plays whole periods of every environment by rote."""

import ast
import hashlib
import random
import re
from dataclasses import dataclass

from agents.baselines.reading import unwrapped
from tests.stub_provider import StubAnswer

NOTES = ("write_notes", "read_notes")
OFFER = re.compile(r"^- (\S+): (?:\[minimum order quantity (\d+)\] )?(?:\[.*?\] )?\$(\d+\.\d\d) for", re.MULTILINE)
CEILING = re.compile(r"above (\d+(?:\.\d+)?)")


@dataclass(frozen=True)
class Chat:
    """A period's chat, whichever the wire format: tools offered, first user text, queries before, results by tool."""

    tools: tuple[str, ...]
    prompt: str
    asked: int
    results: dict[str, str]

    @classmethod
    def of(cls, wire, body):
        messages = [message for message in body["messages"] if message["role"] != "system"]
        names = {}
        results = {}
        for message in messages:
            if wire == "anthropic":
                blocks = message["content"]
                names |= {block["id"]: block["name"] for block in blocks if block["type"] == "tool_use"}
                answers = [(b["tool_use_id"], b["content"]) for b in blocks if b["type"] == "tool_result"]
            else:
                names |= {call["id"]: call["function"]["name"] for call in message.get("tool_calls", ())}
                answers = [(message["tool_call_id"], message["content"])] if message["role"] == "tool" else []
            results |= {names[call_id]: unwrapped(text) for call_id, text in answers}
        first = messages[0]["content"]
        return cls(
            tools=tuple(
                tool["name"] if wire == "anthropic" else tool["function"]["name"] for tool in body.get("tools", ())
            ),
            prompt=first if isinstance(first, str) else first[0]["text"],
            asked=sum(message["role"] == "assistant" for message in messages),
            results=results,
        )


class ScriptedPlayer:
    """Reads everything with its first query of a period; with the second writes notes and acts on what it read.

    A pure function of the request body: same chat, same answer, on any server, in either wire format.

    delay: seconds each answer takes
    """

    def __init__(self, *, delay=0.0):
        self.delay = delay

    def __call__(self, wire, body, headers):
        chat = Chat.of(wire, body)
        if not chat.tools:
            letter = "AB"[hashlib.sha256(chat.prompt.encode()).digest()[0] % 2]
            return StubAnswer(text=f"<reasoning>By rote.</reasoning><answer>{letter}</answer>", delay=self.delay)
        action = chat.tools[-1]
        getters = tuple(name for name in chat.tools if name not in (*NOTES, action))
        if any(name not in chat.results for name in getters):
            return StubAnswer(calls=tuple((name, {}) for name in getters), delay=self.delay)
        seed = hashlib.sha256(repr((chat.prompt, chat.asked, sorted(chat.results.items()))).encode()).digest()
        rng = random.Random(seed)
        argument, decide = ACTIONS[action]
        decision = str(decide(chat, rng))
        calls = [(action, {argument: decision})]
        if "write_notes" in chat.tools and "write_notes" not in chat.results:
            period = chat.results.get("get_attempt_number", "?")
            calls.insert(0, ("write_notes", {"notes": f"Attempt {period}: trying {decision}"}))
        return StubAnswer(calls=tuple(calls), delay=self.delay)


def purchase_plan(chat, rng):
    """Up to five offers, each within its share of the budget where its minimum order allows."""
    budget = float(chat.results.get("get_budget", "0"))
    offers = OFFER.findall(chat.results.get("get_equipment_information", ""))
    chosen = rng.sample(offers, min(5, len(offers)))
    plan = {}
    for name, minimum, price in chosen:
        most = int(budget / len(chosen) / float(price)) if float(price) else 1
        plan[name] = max(int(minimum or 1), rng.randint(1, max(1, most)))
    return plan


def assignment(chat, rng):
    """Workers to tasks, or where the tasks come with sizes, tasks to workers."""
    workers = ast.literal_eval(chat.results.get("get_worker_ids", "[]"))
    if "get_task_info" in chat.results:
        sized = re.findall(r"Task (\S+) size", chat.results["get_task_info"])
        return dict(zip(sized, rng.sample(workers, len(workers)), strict=True))
    tasks = ast.literal_eval(chat.results.get("get_task_ids", "[]"))
    return dict(zip(workers, rng.sample(tasks, len(tasks)), strict=True))


def prices(chat, rng):
    """Prices from a fifth of the ceiling that the prompt names up to it."""
    named = CEILING.search(chat.prompt)
    ceiling = float(named[1]) if named else 10.0
    products = ast.literal_eval(chat.results.get("get_product_ids", "[]"))
    return {product: round(ceiling * rng.uniform(0.2, 1.0), 2) for product in products}


ACTIONS = {
    "submit_purchase_plan": ("purchase_plan", purchase_plan),
    "submit_assignment": ("assignment", assignment),
    "set_prices": ("prices_dict_str", prices),
}
