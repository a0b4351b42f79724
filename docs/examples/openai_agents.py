"""Play an episode with the OpenAI Agents SDK. Needs openai-agents.

ECONEVALS_URL=https://econevals.example EPISODE_TOKEN=ep_... MODEL=gpt-x python openai_agents.py
"""

import asyncio
import os

from agents.mcp import MCPServerStreamableHttp
from openai import AsyncOpenAI

from agents import Agent, OpenAIChatCompletionsModel, Runner


async def main() -> None:
    headers = {"Authorization": f"Bearer {os.environ['EPISODE_TOKEN']}"}
    params = {"url": os.environ["ECONEVALS_URL"] + "/mcp", "headers": headers}
    async with MCPServerStreamableHttp(
        params=params, cache_tools_list=True, client_session_timeout_seconds=60
    ) as server:
        model = OpenAIChatCompletionsModel(os.environ["MODEL"], AsyncOpenAI())
        agent = Agent(name="player", instructions="Play this period only.", model=model, mcp_servers=[server])
        for _ in range(1000):  # Each period is a new conversation, so that no context overflows.
            started = await server.call_tool("start_period", {})
            if started.isError:  # "The episode is finished."
                print(started.content[0].text)
                return
            await Runner.run(agent, started.content[0].text, max_turns=50)


asyncio.run(main())
