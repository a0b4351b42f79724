"""Play an episode with LangGraph. Needs langchain, langchain-mcp-adapters and langchain-openai.

ECONEVALS_URL=https://econevals.example EPISODE_TOKEN=ep_... MODEL=gpt-x python langgraph_agent.py
"""

import asyncio
import os

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI


async def main() -> None:
    headers = {"Authorization": f"Bearer {os.environ['EPISODE_TOKEN']}"}
    server = {"transport": "streamable_http", "url": os.environ["ECONEVALS_URL"] + "/mcp", "headers": headers}
    tools = await MultiServerMCPClient({"econevals": server}).get_tools()
    start_period = next(tool for tool in tools if tool.name == "start_period")
    agent = create_agent(ChatOpenAI(model=os.environ["MODEL"]), [tool for tool in tools if tool is not start_period])
    ask = {"type": "tool_call", "id": "start", "name": "start_period", "args": {}}
    for _ in range(1000):  # Each period is a new conversation, so that no context overflows.
        task = await start_period.ainvoke(ask)
        if task.status == "error":  # "The episode is finished."
            print(task.text)
            return
        prompt = f"{task.text}\n\nPlay this period only."
        await agent.ainvoke({"messages": [{"role": "user", "content": prompt}]}, {"recursion_limit": 100})


asyncio.run(main())
