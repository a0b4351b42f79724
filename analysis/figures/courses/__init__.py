"""Figures of runs over their periods, and of scores under several conditions."""
