"""Tests of which agents differ, and of which metrics of their runs correlate with their scores."""
