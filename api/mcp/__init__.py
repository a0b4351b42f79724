"""The MCP server at /mcp. The token decides whether a client plays a seat or reads data of its organization.

The package django-mcpz implements the protocol: the version of 2026-07-28, and that of the year
before, which begins with a handshake. The server keeps no sessions: every request has its token and
does not depend on earlier requests.
"""
