"""Episodes: runs that outside agents and people play, by one service for the REST API, MCP and the pages for people."""
