"""Statistics over the runs of litmus tests: pure functions over numbers."""
