"""Players that reach a seat by REST, and by the official MCP client in both of its eras, in the process of the test.

All have the interface of `Player`. `FORMS` names them for tests that ask the same of each.
"""

import asyncio
from concurrent.futures import Future, InvalidStateError, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Protocol

import httpx2
from django.test import Client as Browser
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from environments.registry import ENVIRONMENTS
from environments.survey import Survey
from runs.episodes.selectors import seat_by_token
from tests.runs.episodes.conftest import RestSeat

ERAS = {"MCP 2026-07-28": "auto", "MCP 2025-11-25": "legacy"}
"""Modes of the client. `auto` speaks the newer protocol where the server knows it."""


class ReplyLost(Exception):
    """The site processed the request, and its answer was lost."""


@dataclass(frozen=True)
class Reply:
    """ok: the call was answered, or the action accepted now or before; text: what the player reads"""

    ok: bool
    text: str


class Player(Protocol):
    """One seat of an episode, played through one of the site's interfaces.

    loses_reply: the answer to the next call or action gets lost after the site did it; the method then raises ReplyLost
    """

    loses_reply: bool

    def call(self, tool: str, **arguments: object) -> Reply:
        """Call a getter or a tool of the notes in the current period of the seat."""

    def act(self, period: int, action: object) -> Reply:
        """Send the action of a period, right or wrong; of a survey the answers by question."""

    def resign(self) -> None:
        """End the episode without a score."""

    def status(self) -> tuple[str, int]:
        """(state of the episode, current period of the seat)"""


class RestPlayer:
    def __init__(self, token):
        self.seat = RestSeat(token)
        self.loses_reply = False

    def call(self, tool, **arguments):
        return self._reply(self.seat.call(self.status()[1], tool, **arguments))

    def act(self, period, action):
        return self._reply(self.seat.act(period, action))

    def resign(self):
        assert self.seat.resign().status_code == 200

    def status(self):
        found = self.seat.status()
        return found["state"], found["period"]

    def _reply(self, response):
        if self.loses_reply:
            self.loses_reply = False
            raise ReplyLost
        told = response.json()
        if "error" in told:
            return Reply(False, told["error"]["message"])
        return Reply(not told.get("is_error"), told.get("text", ""))


class HandOver(httpx2.AsyncBaseTransport):
    """Puts each request of an HTTP client into a queue, with a future for its answer.

    The client has a thread for its event loop, and Django's connection belongs to the thread of the test.
    """

    def __init__(self):
        self.requests = SimpleQueue()

    async def handle_async_request(self, request):
        answer = Future()
        self.requests.put((request, await request.aread(), answer))
        return await asyncio.wrap_future(answer)


class McpPlayer:
    """Each call is a connection of its own, as the server keeps no sessions. What MCP has no tool for goes by REST."""

    def __init__(self, token, mode="auto"):
        self.token, self.mode = token, mode
        self.rest = RestPlayer(token)
        self.loses_reply = False
        game_type = ENVIRONMENTS[seat_by_token(token).episode.environment]
        is_survey = issubclass(game_type, Survey)
        self.action_tool = "answer_questions" if is_survey else game_type.action_tool
        self.action_argument = "answers" if is_survey else game_type.action_argument

    def ask(self, question):
        """What a coroutine function of the connected client returns."""
        hand_over = HandOver()

        async def asked():
            headers = {"Authorization": f"Bearer {self.token}"}
            async with httpx2.AsyncClient(transport=hand_over, headers=headers) as http:
                transport = streamable_http_client("http://testserver/mcp", http_client=http)
                async with Client(transport, mode=self.mode) as client:
                    return await question(client)

        with ThreadPoolExecutor(1) as pool:
            result = pool.submit(asyncio.run, asked())
            result.add_done_callback(lambda done: hand_over.requests.put(None))
            while (handed := hand_over.requests.get()) is not None:
                request, body, answer = handed
                # A client that closes no longer waits for the answers to its notifications.
                with suppress(InvalidStateError):
                    try:
                        answer.set_result(self._send(request, body))
                    except httpx2.ReadError as error:
                        answer.set_exception(error)
            return result.result()

    def _send(self, request, body):
        kind, headers = request.headers.get("content-type", ""), dict(request.headers)
        answer = Browser().generic(request.method, request.url.path, body, content_type=kind, headers=headers)
        if self.loses_reply and b'"tools/call"' in body:
            self.loses_reply = False
            raise httpx2.ReadError("The connection broke.")
        return httpx2.Response(answer.status_code, headers=list(answer.items()), content=answer.content)

    def call(self, tool, **arguments):
        async def answer(client):
            try:
                result = await client.call_tool(tool, arguments)
            except MCPError as error:
                return Reply(False, str(error))
            return Reply(not result.is_error, "\n".join(part.text for part in result.content))

        try:
            return self.ask(answer)
        except ExceptionGroup as broken:
            if broken.subgroup(httpx2.ReadError) is None:
                raise
            raise ReplyLost from None

    def act(self, period, action):
        return self.call(self.action_tool, **{"period": period, self.action_argument: action})

    def resign(self):
        self.rest.resign()

    def status(self):
        return self.rest.status()


FORMS = {"REST": RestPlayer} | {era: lambda token, mode=mode: McpPlayer(token, mode) for era, mode in ERAS.items()}
"""Every interface by which a seat is played: from the token of the seat to its player."""
