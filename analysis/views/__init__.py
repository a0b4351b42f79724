"""Views of leaderboards, the litmus page and figures of runs: each checks access, reads a form, calls a selector and renders."""
