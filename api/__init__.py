"""The REST API under /api/v1/ and its tokens.

`resources` has one file for each kind of object. An operation parses the request, calls the same services and
selectors as the pages, and returns a schema from `schemas` or from its own file.
"""
