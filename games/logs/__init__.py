"""Base of the formats of published logs. Every game declares its own format; `workspace.transfer` reads the files."""
