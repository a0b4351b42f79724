"""A local provider of one or more models, which refuses what their makers document as refused.

with Emulator(FAMILIES["gpt-6.2-sol"], RotePlayer()) as emulator:
    LLMOptions("openai-compatible", emulator.model.id, base_url=emulator.base_url)
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl

from tests.emulators import chat, discovery, messages, responses
from tests.emulators.batches import Batches
from tests.emulators.model import Model, Usage
from tests.emulators.player import Player, RotePlayer
from tests.emulators.rules import FORGIVING, Asked, Memory, Refused

WIRES = {"/responses": responses, "/chat/completions": chat, "/messages": messages}
NAMES = {"/responses": "responses", "/chat/completions": "chat", "/messages": "messages"}

Answer = tuple[int, Any] | tuple[int, Any, dict[str, str]]


@dataclass(frozen=True)
class Received:
    """One request. `body` is None where it is not JSON; `status` is that of the answer."""

    method: str
    path: str
    headers: dict[str, str]
    content: bytes
    body: Any
    status: int
    answer: Any


@dataclass(frozen=True)
class Charge:
    """What one answer cost."""

    number: int
    model: str
    usage: Usage
    nanodollars: Fraction


@dataclass
class Bill:
    """Every answer that costs, in order."""

    charges: list[Charge] = field(default_factory=list)

    @property
    def nanodollars(self) -> Fraction:
        return sum((charge.nanodollars for charge in self.charges), Fraction(0))


class Emulator:
    """The server, from construction to `close`.

    models: the model, or several; `model` is the first
    fault: (number of the request for an answer from 1, its body) -> None or (status, body) or (status, body, headers)
    page_fault: the same for other requests, by (method, path)
    accounts: the account of a key; a key that is not in it is an account of its own
    today: the day (YYYY-MM-DD) by which models are shut down
    """

    def __init__(self, models: Model | Sequence[Model], player: Player | None = None):
        self.models = {model.id: model for model in ([models] if isinstance(models, Model) else models)}
        self.model = next(iter(self.models.values()))
        self.player = player or RotePlayer()
        self.today = "2026-11-26"
        self.accounts: dict[str, str] = {}
        self.fault: Callable[[int, dict], Answer | None] | None = None
        self.page_fault: Callable[[str, str], Answer | None] | None = None
        self.memory, self.bill, self.batches = Memory(), Bill(), Batches(self)
        self.lock, self._received, self._number = threading.RLock(), [], 0
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.emulator = self
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        serving = {"poll_interval": 0.05}
        threading.Thread(target=self._server.serve_forever, kwargs=serving, daemon=True).start()

    @property
    def base_url(self) -> str:
        """The address to give to an adapter; that of Anthropic's adapters is without the version."""
        if self.model.maker == "google":
            return f"{self.url}/v1beta/openai"
        return self.url if self.model.wires[0] == "messages" else f"{self.url}/v1"

    @property
    def requests(self) -> list[Received]:
        with self.lock:
            return list(self._received)

    @property
    def asked(self) -> list[Received]:
        """The requests for an answer of the model."""
        return [received for received in self.requests if received.path.endswith(tuple(WIRES))]

    @property
    def remarks(self) -> list[tuple[int, str]]:
        """What interfaces accept though an adapter should not do it, by number of the request."""
        with self.lock:
            return list(self.memory.remarks)

    def take(self, method: str, path: str, headers: dict[str, str], content: bytes) -> tuple[int, Any, dict[str, str]]:
        try:
            body = json.loads(content) if content else {}
        except ValueError:
            body = None
        with self.lock:
            answer = self._answer(method, path, headers, body, content)
            status, said, more = (*answer, {})[:3]
            self._forgive(status, said, headers)
            self._received.append(Received(method, path, headers, content, body, status, said))
        return status, said, more

    def _answer(self, method: str, path: str, headers: dict[str, str], body: Any, content: bytes) -> Answer:
        path, _, query = path.partition("?")
        wire = next((suffix for suffix in WIRES if path.endswith(suffix)), None)
        if wire is None or method != "POST":
            injected = self.page_fault(method, path) if self.page_fault else None
            if injected:
                return injected
            page = self.batches.take(method, path, headers, body, content, dict(parse_qsl(query)))
            return page or discovery.page(self, method, path, headers)
        self._number += 1
        if not isinstance(body, dict):
            return 400, Refused("We could not parse the JSON body of your request.").body(self.model.maker)
        injected = self.fault(self._number, body) if self.fault else None
        if injected:
            self._charge_reported(injected)
            return injected
        return self.execute(wire, body, headers)

    def execute(self, wire: str, body: dict, headers: dict[str, str], factor: Fraction = Fraction(1)) -> Answer:
        """Answer as the interface does, and bill it at `factor`."""
        named = self.models.get(str(body.get("model")))
        maker = named.maker if named else self.model.maker
        try:
            account = self.accounts.get(account_of(headers), account_of(headers))
            model = named.at(self.today) if named else None
            if model is None:
                raise unknown_model(maker, str(body.get("model")))
            if NAMES[wire] not in model.wires:
                raise Refused(f"Unknown request URL: POST {wire}. {model.id} has another interface.", status=404)
            asked = Asked(body, account, headers, model, self.memory, self._number)
            reply, usage = WIRES[wire].answer(asked, self.player)
        except Refused as refusal:
            return refusal.status, refusal.body(maker)
        tier = dict(model.tiers).get(body.get("service_tier") or "", Fraction(1))
        cost = model.prices.nano(usage, factor * tier)
        self.bill.charges.append(Charge(self._number, model.id, usage, cost))
        return 200, reply

    def _forgive(self, status: int, said: Any, headers: dict[str, str]) -> None:
        if status in (400, 404) and FORGIVING.search(json.dumps(said)):
            self.memory.forgiven.add(self.accounts.get(key_of(headers), key_of(headers)))

    def _charge_reported(self, injected: Answer) -> None:
        """An injected reply costs what its usage says."""
        usage = injected[1].get("usage") if injected[0] == 200 and isinstance(injected[1], dict) else None
        if usage:
            fresh = usage.get("input_tokens", usage.get("prompt_tokens", 0))
            made = usage.get("output_tokens", usage.get("completion_tokens", 0))
            counted = Usage(fresh=fresh, visible=made)
            self.bill.charges.append(Charge(self._number, self.model.id, counted, self.model.prices.nano(counted)))

    def close(self) -> None:
        stopping = threading.Thread(target=self._server.shutdown)
        stopping.start()
        # The server checks whether to stop at each connection.
        socket.create_connection(self._server.server_address).close()
        stopping.join()
        self._server.server_close()

    def __enter__(self) -> Emulator:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def key_of(headers: dict[str, str]) -> str:
    bearer = headers.get("authorization", "").removeprefix("Bearer ").strip()
    return headers.get("x-api-key", "") or headers.get("api-key", "") or bearer


def account_of(headers: dict[str, str]) -> str:
    """Every key is an account. Raises Refused without one."""
    if not key_of(headers):
        raise Refused("You didn't provide an API key.", status=401, code="invalid_api_key")
    return key_of(headers)


def unknown_model(maker: str, model_id: str) -> Refused:
    if maker == "anthropic":
        return Refused(f"model: {model_id}", status=404)
    if maker == "google":
        return Refused(f"models/{model_id} is not found for API version v1main.", status=404)
    sentence = f"The model `{model_id}` does not exist or you do not have access to it."
    return Refused(sentence, status=404, code="model_not_found")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    emulator: Emulator

    def handle_error(self, request, client_address) -> None:
        """A client that went away is part of the play."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def _serve(self) -> None:
        content = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        status, said, more = self.server.emulator.take(self.command, self.path, headers, content)
        data = said if isinstance(said, bytes) else json.dumps(said).encode()
        head = {"Content-Type": "application/json", "Content-Length": str(len(data)), "x-request-id": "req_0"} | more
        lines = [f"HTTP/1.1 {status} Emulated", *(f"{name}: {value}" for name, value in head.items())]
        self.wfile.write("\r\n".join(lines).encode() + b"\r\n\r\n" + data)

    do_GET = do_POST = do_DELETE = _serve

    def log_message(self, format: str, *args: object) -> None:
        pass
