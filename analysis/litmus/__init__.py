"""The table, charts and statistics of the litmus tests."""
