"""The REST API under /api/v1/ and its tokens.

`resources` has a file for each kind of object. An operation parses the request, calls the services and selectors of the
pages, and returns a shape of `schemas` or of its own file.
"""
