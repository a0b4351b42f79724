"""Runs as files.

`records` makes flat records and writes them as JSON Lines and CSV. `selection` chooses the runs. `inspect_log` writes
one run as an Inspect AI log.

Files are streamed from pages of complete queries, so neither memory nor a transaction grows with a file's length or a
slow download.
"""
