"""The MCP server at /mcp: the token decides whether a client plays a seat or reads what its organization may see.

The package django-mcpz speaks the protocol, both that of 2026-07-28 and that of the year before with its handshake. It
keeps no sessions, so every request stands alone and carries its token.
"""
