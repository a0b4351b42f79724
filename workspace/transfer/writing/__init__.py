"""Runs as files. `records` makes flat records, `tables` writes them as JSON Lines and CSV, `selection` says which runs,
`inspect_log` writes one run as an Inspect AI log.

Files are streamed from pages of complete queries, so neither memory nor a transaction grows with a file's length or a
slow download.
"""

from workspace.transfer.writing.records import period_records
from workspace.transfer.writing.tables import COLUMNS, csv_lines, jsonl_lines

__all__ = ["COLUMNS", "csv_lines", "jsonl_lines", "period_records"]
