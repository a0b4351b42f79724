"""Views of leaderboards, the litmus page and figures of runs.

A view reads a form, calls a selector and returns a page, a figure or a file.
"""
