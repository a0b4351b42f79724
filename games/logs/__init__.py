"""The formats of published logs, which every game declares for itself. `workspace.transfer` reads the files."""
