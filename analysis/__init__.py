"""Statistics, figures and tables over runs. The highest layer.

`statistics` and `figures` are pure functions over plain records; views only arrange their results.
"""
