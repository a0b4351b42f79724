"""The presentation of each environment: its figures, page sections, form for people, and the metrics of its scores.

Each environment has its own folder, listed in `registry.py`. The other modules are shared by all games.
"""
