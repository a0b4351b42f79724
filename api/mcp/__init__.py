"""The MCP server at /mcp. The token decides whether a client plays a seat or reads data of its organization.

The package django-mcpz implements the protocol: the version of 2026-07-28, and that of the year before with its
handshake. It keeps no sessions, so every request carries its token and depends on no other.
"""
