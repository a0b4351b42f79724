"""Statistics as pure functions over numbers, without Django: summaries, paired tests, regression."""
