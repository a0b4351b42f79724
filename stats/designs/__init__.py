"""Numbers of instances, comparisons in stages, replays over time, and what scores vary by."""
