"""Scores over time: regressions of the score on the release date of the model."""
