"""Views of leaderboards, the litmus page and figures of runs: each guards, reads a form, calls a selector and renders."""
