"""The REST API under /api/v1/ and its tokens.

Layer: on top of everything; nothing imports it. `resources` has one file for each kind of thing, each operation a few
lines: read what was asked, call the services and selectors that the pages call, shape the answer by `schemas`.
"""
