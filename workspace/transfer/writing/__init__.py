"""Runs as files.

`records` makes flat records and writes them as JSON Lines and CSV. `selection` chooses the runs. `inspect_log` writes
one run as an Inspect AI log.

Files are streamed. The rows are read in pages, each with a complete query. So a long file needs no
more memory than a short one, and a slow download keeps no transaction open.
"""
