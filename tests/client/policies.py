"""Baselines as players of the client and of MCP: they see what a program of somebody else sees."""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor

from agents.baselines.registry import BASELINES
from econevals.practice import practice_game
from tests.waiting import patience

SLUGS = {
    "procurement": "procurement-hill-climber",
    "scheduling": "scheduling-knuth",
    "pricing": "pricing-drift-tracker",
    "efficiency_vs_equality": "equality-greedy-equality",
    "collusiveness_vs_competitiveness": "collusion-best-response",
    "patience_vs_impatience": "patience-rate",
}


def baseline_of(environment, difficulty, seed=0, seat="seat_0", variant="main"):
    game = practice_game(environment, difficulty, seed, variant=variant, with_reference=False)
    return BASELINES[SLUGS[environment]](game.instance, type(game), seat, variant)


def baseline_policy(environment, difficulty, seed=0, **named):
    baseline = baseline_of(environment, difficulty, seed, **named)

    def policy(period):
        if period.questions:
            answers = {
                question["key"]: baseline.answer(
                    question["prompt"], baseline.rng(period.number, f"{question['key']}.0")
                )
                for question in period.questions
            }
            return {key: "A" if ">A<" in text.replace(" ", "") else "B" for key, text in answers.items()}
        moves = baseline.play(period.number)
        tool, arguments = next(moves)
        while tool != period.action["tool"]:
            answer = period.call(tool, **arguments)
            assert not answer.is_error, answer.text
            tool, arguments = moves.send(answer.text)
        return arguments[period.action["argument"]]

    return policy


def play_by_mcp(address, token, baseline, mode):
    """Play an episode of a game with tools by the official MCP client in one connection; return the number of calls.

    mode: 'auto' for the newer era of the protocol, 'legacy' for the older one
    """
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    async def play():
        calls = 0

        async def told(tool, **arguments):
            nonlocal calls
            calls += 1
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, result
            return result.content[0].text

        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=patience()) as http,
            Client(streamable_http_client(f"{address}/mcp", http_client=http), mode=mode) as client,
        ):
            action = next(
                tool for tool in (await client.list_tools()).tools if "period" in tool.input_schema["properties"]
            )
            said = await told("start_period")
            while "The episode is finished." not in said:
                period = int(re.search(r"^Period (\d+) of", said, re.MULTILINE)[1])
                moves = baseline.play(period)
                tool, arguments = next(moves)
                while tool != action.name:
                    tool, arguments = moves.send(await told(tool, **arguments))
                said = await told(tool, period=period, **arguments)
        return calls

    # In a thread of its own: the browser's driver may keep an event loop in this one.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, play()).result()
