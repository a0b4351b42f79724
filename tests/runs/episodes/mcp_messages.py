"""Messages of a client of the older MCP protocol, raw."""

import json

from django.test import Client as Browser

PING = {"jsonrpc": "2.0", "id": 7, "method": "ping"}


def ask(message, token=None, browser=None, **headers):
    """Send a message; return the response."""
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return (browser or Browser()).post("/mcp", body, content_type="application/json", headers=headers)


def call(tool, **arguments):
    """The message that calls a tool."""
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
